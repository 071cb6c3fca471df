import { expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { needsOf, sourceId } from '#lib/loop/source/needs.ts';

const budgetIn = (needs: ReturnType<typeof needsOf>) => needs.get(sourceId(Pod))?.budget;

it('needsOf() returns the same needs for the same list and options', () => {
  const kinds = [podSet];
  expect(needsOf(kinds)).toBe(needsOf(kinds, {}));
  expect(needsOf(kinds, { readsOnDemand: true })).toBe(needsOf(kinds, { readsOnDemand: true }));
  expect(needsOf(kinds, { readsOnDemand: true })).not.toBe(needsOf(kinds));
  expect(needsOf(kinds, { remembersWholes: true })).not.toBe(needsOf(kinds));
});

it('needsOf() returns a new memory budget at each call with a memory limit', () => {
  const kinds = [podSet];
  needsOf(kinds);
  const limits = { maxResourceBytes: 1000, maxResourcesBytes: 10_000 };
  const [first, second] = [needsOf(kinds, limits), needsOf(kinds, limits)];
  expect(budgetIn(first)).toBeDefined();
  expect(budgetIn(first)).not.toBe(budgetIn(second));
  expect(budgetIn(needsOf(kinds))).toBeUndefined();
});
