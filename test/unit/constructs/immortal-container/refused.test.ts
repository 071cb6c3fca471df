import { describe, expect, it } from 'vitest';
import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { desiredAt, observed, statusWith, verbsOf } from './scene.ts';

const refusal = (reason: RefusalReason, verb: Refusal['verb'] = 'create', attempts = 1): Refusal => ({
  verb,
  kind: 'Pod',
  name: 'web-immortalpod',
  reason,
  attempts,
  at: '2026-11-21T09:29:59.000000Z',
});

describe('a pod that the API server does not create', () => {
  it.each([
    { refused: 'QuotaExceeded', reason: 'QuotaExceeded', state: 'progressing', says: 'a ResourceQuota is used up' },
    { refused: 'AdmissionDenied', reason: 'AdmissionDenied', state: 'progressing', says: 'an admission policy' },
    { refused: 'Invalid', reason: 'InvalidTemplate', state: 'stalled', says: 'the API server finds the pod invalid' },
    {
      refused: 'NameConflict',
      reason: 'NameConflict',
      state: 'progressing',
      says: 'a pod of another owner has the name',
    },
    {
      refused: 'FieldConflict',
      reason: 'NameConflict',
      state: 'progressing',
      says: 'a pod of another owner has the name',
    },
    { refused: 'Forbidden', reason: 'Forbidden', state: 'progressing', says: 'may not create pods here' },
    { refused: 'NamespaceTerminating', reason: 'NamespaceTerminating', state: 'progressing', says: 'being deleted' },
    { refused: 'Unavailable', reason: 'Unavailable', state: 'progressing', says: 'busy or cannot be reached' },
  ] as const)(
    'is reported in PodCreated as $reason when it was refused with $refused, and is still wanted',
    ({ refused, reason, state, says }) => {
      const result = desiredAt({ refused: [refusal(refused)] });
      expect(verbsOf(result)).toEqual(['apply']);
      expect(result.status).toMatchObject({ phase: 'Starting', startTimes: 0, consecutiveFailures: 0 });
      expect(result.conditions).toMatchObject([{ type: 'PodCreated', status: 'False', reason }]);
      expect(result.conditions?.[0]?.message).toContain(says);
      expect(result.state.state).toBe(state);
    },
  );

  it('reads the same at every try, so that the status stays as it is', () => {
    const [first, tenth] = [1, 10].map((attempts) =>
      desiredAt({ refused: [refusal('QuotaExceeded', 'create', attempts)] }),
    );
    expect(tenth).toEqual(first);
  });

  it('is no matter while the pod is there, or none is wanted', () => {
    const refused = [refusal('Invalid')];
    expect(desiredAt({ refused, pod: observed() }).conditions).toMatchObject([{ status: 'True', reason: 'Created' }]);
    const suspended = desiredAt({ refused, spec: { suspend: true } });
    expect(suspended.conditions).toMatchObject([{ reason: 'Suspended' }]);
    expect(suspended.state.state).toBe('ready');
    const status = statusWith({ startTimes: 1, consecutiveFailures: 1, nextStartTime: '2026-11-21T09:31:00.000000Z' });
    expect(desiredAt({ refused, status }).conditions).toMatchObject([{ reason: 'BackingOff' }]);
  });

  it('is not reported for a refused deletion', () => {
    expect(desiredAt({ refused: [refusal('Invalid', 'remove')] }).conditions).toMatchObject([{ reason: 'Starting' }]);
  });
});
