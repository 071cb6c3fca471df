import { expect, it } from 'vitest';
import { heapWith } from '#test/bench/alone/heap-with.ts';

const [FEW, MANY] = [100, 500];
const KIB = 1024;

it('startManager() keeps at most 5.5 KiB of a PodSet and its three pods, at rest', async () => {
  const few = await heapWith({ kind: 'PodSet', count: FEW, replicas: 3 });
  const many = await heapWith({ kind: 'PodSet', count: MANY, replicas: 3 });
  expect((many - few) / (MANY - FEW) / KIB).toBeLessThan(5.5);
});
