import { describe, expect, it } from 'vitest';
import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { ApiError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { type ChildWrite, childEvents } from '#lib/loop/events/child-events.ts';
import { silence } from '#test/unit/support/event-server.ts';

const regarding = { apiVersion: 'demo.example.com/v1', kind: 'Shelf', namespace: 'default', name: 'novels', uid: 'u' };

const write = (verb: ChildWrite['verb'], name: string, reason = 'Missing'): ChildWrite => ({
  verb,
  kind: Pod,
  name,
  reason,
});

const failure = (name: string, reason: RefusalReason, error: Error) => {
  const refusal: Refusal = { verb: 'create', kind: 'Pod', name, reason, attempts: 1, at: '' };
  return { write: write('create', name), refusal, error };
};

const answer = (httpStatus: number, message: string, fields: readonly string[] = []): ApiError =>
  new ApiError('create pods', { httpStatus, reason: 'Forbidden', message, causes: fields.map((field) => ({ field })) });

const eventsOf = (writes: Partial<Parameters<typeof childEvents>[0]>): string[] =>
  childEvents({ done: [], failed: [], ...writes }, regarding).map(
    ({ type, reason, message }) => `${type} ${reason} ${message}`,
  );

describe('childEvents()', () => {
  it('joins what was done by verb, names three children sorted and counts the rest', () => {
    const created = ['e', 'd', 'c', 'b', 'a'].map((name) => write('create', name));
    expect(eventsOf({ done: [...created, write('remove', 'x', 'ScaledDown'), write('adopt', 'o')] })).toEqual([
      'Normal SuccessfulCreate Created pods a, b, c and 2 more',
      'Normal SuccessfulDelete Deleted pod x (ScaledDown)',
      'Normal SuccessfulAdopt Adopted pod o',
    ]);
  });

  it('sums up what was done without names, so that much of a sort can be one series; failures have no names anyway', () => {
    const done = [write('create', 'a'), write('remove', 'x', 'Updated')];
    const failed = [failure('b', 'Unavailable', silence())];
    expect(childEvents({ done, failed }, regarding).map(({ summary }) => summary)).toEqual([
      'Created more pods',
      'Deleted more pods (Updated)',
      undefined,
    ]);
  });

  it('distinguishes deletions for different reasons', () => {
    expect(eventsOf({ done: [write('remove', 'x', 'ScaledDown'), write('remove', 'y', 'PodFailed')] })).toEqual([
      'Normal SuccessfulDelete Deleted pod x (ScaledDown)',
      'Normal SuccessfulDelete Deleted pod y (PodFailed)',
    ]);
  });

  it.each([
    {
      reason: 'QuotaExceeded' as const,
      error: answer(
        403,
        'pods "a" is forbidden: exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2',
      ),
      text: 'pods: exceeded quota: two',
      because: 'the counts of a quota change',
    },
    {
      reason: 'AdmissionDenied' as const,
      error: answer(403, 'pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true'),
      text: 'pods: violates PodSecurity "restricted:latest": runAsNonRoot != true',
      because: 'the policy is what helps',
    },
    {
      reason: 'Invalid' as const,
      error: answer(422, 'Pod "a" is invalid: spec.containers[0].env[0].value: "hunter2"', [
        'spec.x',
        'spec.x',
        'spec.a',
      ]),
      text: 'pods a, b: the API server finds it invalid: see spec.a, spec.x',
      because: 'values may be secrets',
    },
    {
      reason: 'Unavailable' as const,
      error: silence(),
      text: 'pods: the API server is busy or cannot be reached',
      because: 'no answer came',
    },
    {
      reason: 'NameConflict' as const,
      error: answer(409, 'pods "a" already exists'),
      text: 'pods a, b: another object has this name',
      because: 'the word says it',
    },
  ])('says "$text" of a refusal, as $because', ({ reason, error, text }) => {
    expect(eventsOf({ failed: [failure('b', reason, error), failure('a', reason, error)] })).toEqual([
      `Warning FailedCreate Cannot create ${text}`,
    ]);
  });

  it('cuts what the server says', () => {
    const [message = ''] = eventsOf({ failed: [failure('a', 'Forbidden', answer(403, 'x'.repeat(9000)))] });
    expect(message.length).toBeLessThan(400);
  });
});
