import { whileOperatorRuns } from '../ground/ground.ts';
import { createPodSet } from '../ground/pod-sets.ts';
import { listed, ofLoop, requestsOf } from '../ground/requests.ts';
import { exactly, type PlaneMeasure, type Row } from '../report/measure.ts';

const take: PlaneMeasure = async ({ ground, progress }) => {
  const namespace = await ground.plane.createNamespace('g1');
  const rows: Row[] = [];
  for (const children of [1, 3, 10]) {
    progress(`G1: a PodSet of ${children}`);
    const pod = { name: `set-${children}`, replicas: children };
    const requests = await requestsOf(ground, () => createPodSet(ground, namespace, pod));
    const statusWrites = requests.by['patch podsets/status'] ?? 0;
    const difference = ofLoop(requests) - children - 1;
    // A second status write is allowed when progress is shown between the two.
    const asAgreed = requests.by['create pods'] === children && statusWrites >= 1 && difference === statusWrites - 1;
    rows.push({
      id: 'G1',
      measure: `create a PodSet of ${children}: requests`,
      goal: `${children + 1} (${children + 2} with progress)`,
      result: `${ofLoop(requests)}: ${listed(requests)}`,
      ...exactly(asAgreed && statusWrites <= 2, difference),
      figures: { ...requests },
      headline: ofLoop(requests),
    });
  }
  return rows;
};

/** Measures the number of requests that bring up a PodSet. */
export const measureG1: PlaneMeasure = async (input) => whileOperatorRuns(input.ground, () => take(input));
