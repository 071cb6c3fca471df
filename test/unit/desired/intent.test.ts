import { describe, expect, it } from 'vitest';
import { adopt, apply, keep, release, remove } from '#lib/desired/result/intent.ts';
import { progressing, ready, stalled } from '#lib/desired/result/state.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';

const object: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1' } };
const seen: KubeObject = { ...object, metadata: { name: 'web-1', resourceVersion: '7' } };

describe('intents', () => {
  it.each([
    { intent: apply(object), expected: { verb: 'apply', object }, reason: 'an object is wanted' },
    {
      intent: apply(object, { ifUnchanged: seen }),
      expected: { verb: 'apply', object, ifUnchanged: seen },
      reason: 'it is wanted in place of what was seen',
    },
    { intent: keep(seen), expected: { verb: 'keep', object: seen }, reason: 'it may stay' },
    { intent: adopt(seen), expected: { verb: 'adopt', object: seen }, reason: 'it has no controller' },
    { intent: release(seen), expected: { verb: 'release', object: seen }, reason: 'it is let go' },
    {
      intent: remove(seen, 'ScaledDown'),
      expected: { verb: 'remove', object: seen, because: 'ScaledDown' },
      reason: 'the object’s own grace period holds',
    },
    {
      intent: remove(seen, 'Stuck', { gracePeriodSeconds: 0 }),
      expected: { verb: 'remove', object: seen, because: 'Stuck', gracePeriodSeconds: 0 },
      reason: 'zero is a grace period',
    },
  ])('$expected.verb() is plain data, with no member that is undefined, when $reason', ({ intent, expected }) => {
    expect(intent).toStrictEqual(expected);
  });

  it('apply() refers to the object that it was given', () => {
    expect(apply(object).object).toBe(object);
  });
});

describe('states', () => {
  it.each([
    { state: ready('A', 'b'), expected: 'ready' },
    { state: progressing('A', 'b'), expected: 'progressing' },
    { state: stalled('A', 'b'), expected: 'stalled' },
  ])('$expected() is plain data', ({ state, expected }) => {
    expect(state).toStrictEqual({ state: expected, reason: 'A', message: 'b' });
  });
});
