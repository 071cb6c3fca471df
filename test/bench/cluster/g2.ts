import { setTimeout as sleep } from 'node:timers/promises';
import { clearNamespace, createConvergedFleet } from '../ground/fleet.ts';
import { PODS_EACH } from '../ground/pod-sets.ts';
import { usageOf } from '../ground/process-usage.ts';
import { listed, ofLoop, requestsSince, untilQuiet } from '../ground/requests.ts';
import { atMost, exactly, type PlaneMeasure, rounded } from '../report/measure.ts';

/** Percentage of a core, including the renewals of the Lease. */
const CPU_GOAL = 0.2;

/** The operating system counts CPU time in hundredths of a second: a shorter window is not accurate. */
const GOAL_WINDOW_SECONDS = 60;

/** Measures requests and CPU time of the operator at rest. */
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
  const percent = (100 * cpuSeconds) / windowSeconds;
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
      figures: { ...requests, listed: listed(requests), podSets, windowSeconds },
      headline: ofLoop(requests),
    },
    {
      id: 'P6',
      measure: `CPU at rest for ${windowSeconds} s with ${podSets} PodSets × ${PODS_EACH} pods, % of a core`,
      goal: `≤ ${CPU_GOAL} %`,
      result: `${rounded(percent)} % (${rounded(cpuSeconds)} s; ${requests.leases} Lease requests)`,
      ...(windowSeconds >= GOAL_WINDOW_SECONDS ? atMost(percent, CPU_GOAL) : ({ verdict: 'note' } as const)),
      figures: { cpuSeconds, podSets, windowSeconds },
      headline: percent,
    },
  ];
};
