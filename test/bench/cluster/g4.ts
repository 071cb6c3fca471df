import { whileOperatorRuns } from '../ground/ground.ts';
import { createPodSet, podSetPath } from '../ground/pod-sets.ts';
import { listed, ofLoop, requestsOf } from '../ground/requests.ts';
import { exactly, type PlaneMeasure, type Row } from '../report/measure.ts';

const NAME = 'scaled';

const take: PlaneMeasure = async ({ ground, progress }) => {
  const { plane } = ground;
  const namespace = await plane.createNamespace('g4');
  const path = podSetPath(namespace, NAME);
  const scale = async (replicas: number): Promise<unknown> =>
    plane.request('PATCH', path, { spec: { replicas } }, { contentType: 'application/merge-patch+json' });
  const losePod = async (): Promise<unknown> => {
    const { body } = await plane.request<{ status: { podNames: string[] } }>('GET', path);
    return plane.request('DELETE', `/api/v1/namespaces/${namespace}/pods/${body.status.podNames[0]}`);
  };
  await requestsOf(ground, () => createPodSet(ground, namespace, { name: NAME, replicas: 3 }));
  const rows: Row[] = [];
  const changes = [
    { what: 'scale 3 → 5', touched: 2, cause: () => scale(5) },
    { what: 'scale 5 → 2', touched: 3, cause: () => scale(2) },
    { what: 'one of 2 pods deleted', touched: 1, cause: losePod },
  ];
  for (const { what, touched, cause } of changes) {
    progress(`G4: ${what}`);
    const requests = await requestsOf(ground, cause);
    const difference = ofLoop(requests) - touched - 1;
    rows.push({
      id: 'G4',
      measure: `${what}: requests`,
      goal: String(touched + 1),
      result: `${ofLoop(requests)}: ${listed(requests)}`,
      ...exactly(difference === 0, difference),
      figures: { ...requests },
      headline: ofLoop(requests),
    });
  }
  return rows;
};

/** Measures the requests of a change that touches some of the children. */
export const measureG4: PlaneMeasure = async (input) => whileOperatorRuns(input.ground, () => take(input));
