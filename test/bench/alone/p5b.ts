import { atMost, type Row, rounded } from '../report/measure.ts';
import { heapWith } from './heap-with.ts';

const GOALS = { podSetKiB: 6, podBytes: 700 } as const;
const [FEW, MANY] = [100, 500];
const [SMALL, LARGE] = [3, 6];

/** Measures the live heap of a loop at rest, in child processes: of each further PodSet, and of each further pod. */
export const measureP5b = async (): Promise<readonly Row[]> => {
  const few = await heapWith({ podSets: FEW, replicas: SMALL });
  const many = await heapWith({ podSets: MANY, replicas: SMALL });
  const large = await heapWith({ podSets: MANY, replicas: LARGE });
  const podSetKiB = (many - few) / (MANY - FEW) / 1024;
  const podBytes = (large - many) / (MANY * (LARGE - SMALL));
  return [
    {
      id: 'P5b',
      measure: `live heap of a PodSet of ${SMALL} pods, KiB`,
      goal: `≤ ${GOALS.podSetKiB} KiB`,
      result: `${rounded(podSetKiB)} KiB`,
      ...atMost(podSetKiB, GOALS.podSetKiB),
      figures: { few, many, podSetKiB },
      headline: podSetKiB,
    },
    {
      id: 'P5b',
      measure: 'live heap of a cached pod, its name in the status included, bytes',
      goal: `≤ ${GOALS.podBytes} B`,
      result: `${rounded(podBytes)} B`,
      ...atMost(podBytes, GOALS.podBytes),
      figures: { many, large, podBytes },
      headline: podBytes,
    },
  ];
};
