import { expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { sizeOf } from '#lib/loop/cache/size/size-of.ts';
import { needsOf, sourceId } from '#lib/loop/source/needs.ts';

const BUDGET = 10_000_000;
const COUNT = 1000;

/** Kubernetes limits the length of each label, but not their number: the only limit is that of the whole object. */
const labelsOf = (pod: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 1000 }, (_, label) => [`label-${label}`, `${pod}-`.padEnd(63, 'x')]));

const owner = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', name: 'web', uid: 'u', controller: true };

it.each([
  { whose: 'of children', ownerReferences: [owner] },
  { whose: 'of pods that anybody made', ownerReferences: [] },
])('the cache keeps labels $whose within its budget, however many there are', ({ ownerReferences }) => {
  const limits = { maxResourceBytes: 131_072, maxResourcesBytes: BUDGET };
  const pods = needsOf([podSet], limits).get(sourceId(Pod));
  let bytes = 0;
  for (let index = 0; index < COUNT; index += 1) {
    const metadata = { name: `p${index}`, namespace: 'default', uid: `u${index}`, resourceVersion: '5' };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels: labelsOf(index), ownerReferences } };
    bytes += sizeOf(pods?.project(pod), Infinity);
  }
  expect(bytes).toBeLessThan(BUDGET);
  expect(bytes).toBeGreaterThan(BUDGET / 10);
});
