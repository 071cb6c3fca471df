import { waitFor } from '#test/control-plane/poll.ts';
import { whileOperatorRuns } from '../ground/ground.ts';
import { createPodSet, podSetPath } from '../ground/pod-sets.ts';
import { listed, ofLoop, requestsOf } from '../ground/requests.ts';
import { exactly, type PlaneMeasure } from '../report/measure.ts';

const NAME = 'deleted';

const take: PlaneMeasure = async ({ ground, progress }) => {
  const { plane } = ground;
  const namespace = await plane.createNamespace('g5');
  await requestsOf(ground, () => createPodSet(ground, namespace, { name: NAME, replicas: 3 }));
  progress('G5: the PodSet is deleted');
  const requests = await requestsOf(ground, async () => {
    await plane.request('DELETE', podSetPath(namespace, NAME));
    await waitFor('the pods to be gone', async () => {
      const { body } = await plane.request<{ items: unknown[] }>('GET', `/api/v1/namespaces/${namespace}/pods`);
      return body.items.length === 0;
    });
  });
  return [
    {
      id: 'G5',
      measure: 'delete a PodSet of 3: requests of the operator',
      goal: '0',
      result: `${ofLoop(requests)}${ofLoop(requests) === 0 ? '' : `: ${listed(requests)}`}`,
      ...exactly(ofLoop(requests) === 0, ofLoop(requests)),
      figures: { ...requests },
      headline: ofLoop(requests),
    },
  ];
};

/** Measures the operator's requests when a PodSet is deleted: the garbage collector deletes its pods. */
export const measureG5: PlaneMeasure = async (input) => whileOperatorRuns(input.ground, () => take(input));
