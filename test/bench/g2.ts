import { setTimeout as sleep } from 'node:timers/promises';
import { clearNamespace, createConvergedFleet } from './fleet.ts';
import { exactly, type PlaneMeasure } from './measure.ts';
import { usageOf } from './process-usage.ts';
import { listed, ofLoop, requestsSince, untilQuiet } from './requests.ts';

/** What the operator sends when nothing happens. */
export const measureG2: PlaneMeasure = async ({ ground, options, progress }) => {
  const { podSets, windowSeconds } = options;
  progress(`G2: ${podSets} PodSets come to rest`);
  await using operator = await ground.startOperator();
  const namespace = await createConvergedFleet(ground, podSets);
  await untilQuiet(ground);
  progress(`G2: ${windowSeconds} s at rest`);
  const since = new Date();
  const before = usageOf(operator.pid).cpuSeconds;
  await sleep(windowSeconds * 1000);
  const cpuSeconds = usageOf(operator.pid).cpuSeconds - before;
  const requests = await requestsSince(ground, since);
  await operator.stop();
  await clearNamespace(ground, namespace);
  return [
    {
      id: 'G2',
      measure: `at rest for ${windowSeconds} s with ${podSets} PodSets: requests`,
      goal: '0 reads, 0 writes',
      result: `${requests.lists + requests.gets} reads, ${requests.writes} writes; watches opened again: ${requests.watches}`,
      ...exactly(ofLoop(requests) === 0, ofLoop(requests)),
      figures: { ...requests, listed: listed(requests), podSets, windowSeconds, cpuSeconds },
    },
  ];
};
