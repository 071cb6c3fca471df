import { describe, expect, it } from 'vitest';
import { podSetConditions } from '#constructs/pod-set/report/conditions.ts';
import { type PodSetStanding, podSetStateOf } from '#constructs/pod-set/report/status.ts';
import { plainSettings } from '#constructs/pod-set/settings.ts';
import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';

const settings = { ...plainSettings(4), maxUnavailable: 1 };
const whole = { active: 4, updated: 4, ready: 4, available: 4, updatedAvailable: 4, terminating: 0 };

type Given = Partial<Parameters<typeof podSetConditions>[0]>;

const conditionsFor = (given: Given = {}) =>
  podSetConditions({
    settings,
    counts: whole,
    isComplete: true,
    isOverdue: false,
    revision: 'abc',
    refused: [],
    ...given,
  });

const said = (type: string, given: Given = {}): string | undefined =>
  conditionsFor(given)
    .filter((condition) => condition.type === type)
    .map(({ status, reason, message }) => `${status} ${reason}: ${message}`)[0];

const refusal = (verb: Refusal['verb'], reason: RefusalReason, kind = 'Pod'): Refusal => ({
  verb,
  kind,
  name: 'web-a',
  reason,
  attempts: 1,
  at: '2026-11-21T09:30:00Z',
});

describe('podSetConditions()', () => {
  it('podSetConditions() has none about trouble when there is none', () => {
    expect(conditionsFor().map(({ type }) => type)).toEqual(['Available', 'Progressing']);
  });

  it.each([
    { available: 4, says: 'True MinimumReplicasAvailable: 4 of 4 pods are available' },
    { available: 3, says: 'True MinimumReplicasAvailable: 3 of 4 pods are available' },
    { available: 2, says: 'False MinimumReplicasUnavailable: 2 of 4 pods are available' },
  ])('Available is "$says" when one may be unavailable', ({ available, says }) => {
    expect(said('Available', { counts: { ...whole, available } })).toBe(says);
  });

  const half = { counts: { ...whole, updatedAvailable: 2 }, isComplete: false };
  it.each([
    { when: 'all is done', given: {}, says: 'True NewRevisionAvailable: 4 of 4 pods of revision abc are available' },
    { when: 'it is under way', given: half, says: 'True PodSetUpdated: 2 of 4 pods of revision abc are available' },
    {
      when: 'nothing has moved for too long',
      given: { ...half, isOverdue: true },
      says: 'False ProgressDeadlineExceeded: 2 of 4 pods of revision abc are available; no progress within 600 s',
    },
    {
      when: 'it is paused, whatever else',
      given: { ...half, isOverdue: true, settings: { ...settings, isPaused: true } },
      says: 'Unknown Paused: paused; 2 of 4 pods of revision abc are available',
    },
    {
      when: 'there are more pods than wanted',
      given: { counts: { ...whole, updatedAvailable: 6 }, isComplete: false },
      says: 'True PodSetUpdated: 4 of 4 pods of revision abc are available',
    },
  ])('Progressing is "$says" when $when', ({ given, says }) => {
    expect(said('Progressing', given)).toBe(says);
  });

  it.each([
    {
      refused: refusal('create', 'Invalid'),
      says: 'InvalidTemplate: the API server finds pods of the template invalid',
    },
    {
      refused: refusal('create', 'AdmissionDenied'),
      says: 'AdmissionDenied: an admission policy or webhook is against the pods',
    },
    { refused: refusal('create', 'QuotaExceeded'), says: 'QuotaExceeded: a ResourceQuota has no room for more pods' },
    { refused: refusal('create', 'NameConflict'), says: 'NameConflict: another object has the name of a pod' },
    { refused: refusal('create', 'Forbidden'), says: 'Forbidden: the operator has no right to create pods' },
    { refused: refusal('remove', 'AdmissionDenied'), says: 'FailedDelete: pods cannot be deleted' },
  ])('ReplicaFailure is "$says" when that was refused', ({ refused, says }) => {
    expect(said('ReplicaFailure', { refused: [refused] })).toBe(`True ${says}`);
  });

  it.each([
    { inARow: 1, says: 'True FailedPodBackoff: 1 pod failed; the next one waits' },
    { inARow: 3, says: 'True FailedPodBackoff: 3 pods in a row failed; the next one waits' },
  ])('ReplicaFailure is "$says" after so many failures', ({ inARow, says }) => {
    expect(said('ReplicaFailure', { failuresInARow: inARow })).toBe(says);
  });

  it.each([
    { refused: refusal('create', 'Unavailable'), reason: 'the server is busy' },
    { refused: refusal('create', 'NamespaceTerminating'), reason: 'the namespace is being deleted' },
    { refused: refusal('remove', 'Unavailable'), reason: 'the server is busy with a deletion' },
    { refused: refusal('create', 'Invalid', 'ControllerRevision'), reason: 'it is about no pod' },
  ])('ReplicaFailure is absent when $reason', ({ refused }) => {
    expect(said('ReplicaFailure', { refused: [refused] })).toBeUndefined();
  });

  it('ReplicaFailure names the weightiest of several, the same whatever their order', () => {
    const refused = [refusal('remove', 'Forbidden'), refusal('create', 'Forbidden'), refusal('create', 'Invalid')];
    const says = said('ReplicaFailure', { refused, failuresInARow: 2 });
    expect(says).toMatch(/InvalidTemplate/);
    expect(said('ReplicaFailure', { refused: refused.toReversed(), failuresInARow: 2 })).toBe(says);
    expect(said('ReplicaFailure', { refused: refused.slice(0, 1), failuresInARow: 2 })).toMatch(/FailedDelete/);
  });

  it('OverlappingSelector names three owners of its pods, and counts the rest', () => {
    const rivals = ['a', 'b', 'c', 'd', 'e'].map((name) => `PodSet "${name}"`);
    expect(said('OverlappingSelector', { rivals })).toMatch(
      /^True PodsOfOthers: spec\.selector means pods of PodSet "a", PodSet "b", PodSet "c" and 2 more as well/,
    );
  });
});

describe('stateOf()', () => {
  const standing: PodSetStanding = { settings, counts: whole, isShrinking: false, isUpdating: false, isOverdue: false };
  it.each([
    { given: {}, says: 'ready PodsReady: 4 of 4 pods are ready' },
    { given: { counts: { ...whole, active: 3 } }, says: 'progressing ScalingUp: 3 of 4 pods exist' },
    {
      given: { isUpdating: true, counts: { ...whole, updated: 1 } },
      says: 'progressing RollingUpdate: 1 of 4 pods are of the new revision',
    },
    {
      given: { isShrinking: true, counts: { ...whole, active: 6 } },
      says: 'progressing ScalingDown: 6 pods exist, 4 are wanted',
    },
    {
      given: { counts: { ...whole, ready: 2, available: 2 } },
      says: 'progressing PodsNotReady: 2 of 4 pods are ready',
    },
    {
      given: { counts: { ...whole, available: 3 } },
      says: 'progressing PodsNotAvailable: 3 of 4 pods have been ready for long enough',
    },
    {
      given: { counts: { ...whole, ready: 2, available: 2 }, isOverdue: true },
      says: 'stalled ProgressDeadlineExceeded: 2 of 4 pods are ready; no progress within 600 s',
    },
    { given: { invalid: 'spec.x is wrong', isOverdue: true }, says: 'stalled InvalidTemplate: spec.x is wrong' },
  ])('stateOf() is "$says"', ({ given, says }) => {
    const { state, reason, message } = podSetStateOf({ ...standing, ...given });
    expect(`${state} ${reason}: ${message}`).toBe(says);
  });
});
