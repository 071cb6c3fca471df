import { atMost, type Row, rounded } from '../report/measure.ts';
import { heapWith } from './heap-with.ts';

const GOALS = { podSetKiB: 6, podBytes: 700 } as const;
const [FEW, MANY, MANY_NAMESPACES] = [100, 500, 1000];
const [SMALL, LARGE] = [3, 6];

/** Measures the live heap of a loop at rest, in child processes: of each further PodSet, pod, and namespace of an extension. */
export const measureP5b = async (): Promise<readonly Row[]> => {
  const few = await heapWith({ kind: 'PodSet', count: FEW, replicas: SMALL });
  const many = await heapWith({ kind: 'PodSet', count: MANY, replicas: SMALL });
  const large = await heapWith({ kind: 'PodSet', count: MANY, replicas: LARGE });
  const fewNamespaces = await heapWith({ kind: 'Namespace', count: FEW });
  const manyNamespaces = await heapWith({ kind: 'Namespace', count: MANY_NAMESPACES });
  const podSetKiB = (many - few) / (MANY - FEW) / 1024;
  const namespaceKiB = (manyNamespaces - fewNamespaces) / (MANY_NAMESPACES - FEW) / 1024;
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
    {
      id: 'P5b',
      goal: '',
      measure: `live heap of a namespace with an extension and two ConfigMaps, of ${MANY_NAMESPACES}, KiB`,
      result: `${rounded(namespaceKiB)} KiB`,
      verdict: 'note',
      figures: { fewNamespaces, manyNamespaces, namespaceKiB },
      headline: namespaceKiB,
    },
  ];
};
