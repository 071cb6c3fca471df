import { describe, expect, it } from 'vitest';
import { censusOf } from '#constructs/pod-set/look/census.ts';
import { planPods } from '#constructs/pod-set/move/plan-pods.ts';
import { plainSettings } from '#constructs/pod-set/settings.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { CLASSIC, clockAt, desiredOf, namesBy, reasonsOf, setPod, slot } from '../support.ts';

const podsOf = (count: number, revision?: string) =>
  Array.from({ length: count }, (_, index) =>
    setPod({ name: slot(index), ...(revision === undefined ? {} : { revision }) }),
  );

const orphans = ['a', 'b'].map((name) => setPod({ name }));

/** The plan for a set with `active` of three pods, of which `create` are requested now. */
const plan = (active: number, create: number) => {
  const pods = podsOf(active);
  const census = censusOf(pods, { revision: undefined, minReadySeconds: 0, clock: clockAt() });
  return planPods({
    set: { name: 'web', uid: '6f1c2a7e-0000-4000-8000-000000000001' },
    settings: plainSettings(3),
    pods,
    census,
    moves: { create, remove: [] },
    recipe: { template: {}, labels: {} },
    orphans,
    lastFailure: undefined,
    clock: clockAt(),
  });
};

const counted = (active: number, create: number) => {
  const { intents: children } = plan(active, create);
  return [namesBy({ children }, 'adopt').length, namesBy({ children }, 'apply').length];
};

describe('planPods()', () => {
  it.each([
    {
      active: 3,
      create: 1,
      adopted: 0,
      made: 1,
      reason: 'the set is complete and the new pod is the surge of an update',
    },
    { active: 2, create: 2, adopted: 1, made: 1, reason: 'one is missing, and another is the surge' },
    { active: 1, create: 2, adopted: 2, made: 0, reason: 'two are missing' },
    { active: 1, create: 1, adopted: 1, made: 0, reason: 'two are missing and one may come' },
    { active: 4, create: 0, adopted: 0, made: 0, reason: 'there are too many' },
  ])('planPods() adopts $adopted orphans and makes $made pods when $reason', ({ active, create, adopted, made }) => {
    expect(counted(active, create)).toEqual([adopted, made]);
  });
});

const refusal = (reason: Refusal['reason'], verb: Refusal['verb'] = 'create', kind = 'Pod'): Refusal => ({
  verb,
  kind,
  name: slot(4),
  reason,
  attempts: 1,
  at: '2026-11-21T09:29:00Z',
});

/** Four old pods, one new pod that is not ready, and one missing pod. */
const held = (refused: readonly Refusal[]) =>
  desiredOf({
    spec: { replicas: 4, updateStrategy: { maxSurge: 2, maxUnavailable: 1 } },
    children: [...podsOf(4, 'old'), setPod({ name: slot(9), ready: false })],
    refused,
    status: { currentRevision: 'old', updateRevision: CLASSIC },
  });

describe('an update that a quota holds up', () => {
  it('the kind removes as many old pods as may be unavailable when a quota refuses new ones', () => {
    expect(Object.values(reasonsOf(held([refusal('QuotaExceeded')])))).toEqual(['Updated']);
  });

  it.each([
    { refused: [], what: 'nothing' },
    { refused: [refusal('AdmissionDenied')], what: 'a pod, by a policy' },
    { refused: [refusal('QuotaExceeded', 'create', 'ControllerRevision')], what: 'a snapshot, by a quota' },
    { refused: [refusal('QuotaExceeded', 'adopt')], what: 'an adoption, by a quota' },
  ])('the kind waits for its new pods first when what was refused is $what', ({ refused }) => {
    expect(reasonsOf(held(refused))).toEqual({});
  });
});
