import { clearNamespace, createConvergedFleet } from '../ground/fleet.ts';
import { whileOperatorRuns } from '../ground/ground.ts';
import { listed, requestsSince, untilQuiet } from '../ground/requests.ts';
import { exactly, type PlaneMeasure } from '../report/measure.ts';

/** Measures the requests of an operator that starts over converged objects. */
export const measureG3: PlaneMeasure = async ({ ground, options: { podSets }, progress }) => {
  progress(`G3: ${podSets} PodSets come to rest`);
  const namespace = await whileOperatorRuns(ground, async () => {
    const fleet = await createConvergedFleet(ground, podSets);
    await untilQuiet(ground);
    return fleet;
  });
  progress('G3: restart');
  const since = new Date();
  const requests = await whileOperatorRuns(ground, async () => {
    await untilQuiet(ground);
    return requestsSince(ground, since);
  });
  await clearNamespace(ground, namespace);
  const { gets, writes, lists, watches } = requests;
  return [
    {
      id: 'G3',
      measure: `restart over ${podSets} converged PodSets: requests`,
      goal: 'lists only: 0 gets, 0 writes',
      result: `${lists} lists, ${gets} gets, ${writes} writes; watches opened: ${watches}`,
      ...exactly(gets + writes === 0, gets + writes),
      figures: { ...requests, listed: listed(requests), podSets },
      headline: gets + writes,
    },
  ];
};
