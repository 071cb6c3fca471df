import { describe, expect, it } from 'vitest';
import { failuresOf, type SeenFailure } from '#constructs/pod-set/look/failures.ts';
import { FAILURES_ANNOTATION } from '#constructs/pod-set/template.ts';
import type { PodTraits } from '#test/unit/support/pods.ts';
import { clockAt, conditionIn, desiredOf, madeBy, namesBy, setPod, slot } from '../support.ts';

const settings = { keepLast: 1, initialSeconds: 10, maxSeconds: 300 };

const noted = (failures: number) => ({ annotations: { [FAILURES_ANNOTATION]: String(failures) } });

const failed = (name: string, finishedAt: string, more: Partial<PodTraits> = {}) =>
  setPod({ name, phase: 'Failed', finishedAt, ...more });

interface Look {
  readonly now?: string;
  readonly before?: SeenFailure | undefined;
}

const failuresIn = (pods: Partial<Parameters<typeof failuresOf>[0]>, { now, before }: Look = {}) =>
  failuresOf({ active: [], failed: [], ...pods }, { settings, before, clock: clockAt(now) });

const seen = (seenAt: string, ...names: string[]): SeenFailure => ({
  podUIDs: names.map((name) => `uid-of-${name}`).toSorted(),
  seenAt,
});

describe('failuresOf()', () => {
  it.each([
    { before: 0, until: '2026-11-21T09:29:10.000000Z', reason: 'the first failure' },
    { before: 1, until: '2026-11-21T09:29:20.000000Z', reason: 'the second' },
    { before: 4, until: '2026-11-21T09:31:40.000000Z', reason: 'the fifth' },
    { before: 5, until: '2026-11-21T09:34:00.000000Z', reason: 'the sixth, which is bounded' },
    { before: 40, until: '2026-11-21T09:34:00.000000Z', reason: 'many, without overflow' },
  ])('failuresOf() lets the next pod wait until $until after $reason', ({ before, until }) => {
    const pod = failed('a', '2026-11-21T09:29:00Z', noted(before));
    const sight = seen('2026-11-21T09:29:00.000000Z', 'a');
    expect(failuresIn({ failed: [pod] }, { before: sight })).toEqual({ inARow: before + 1, until, seen: sight });
  });

  it.each([
    { ended: '2026-11-21T09:30:00Z', reason: 'that of the node says the same' },
    { ended: '2026-11-21T10:30:00Z', reason: 'that of the node is an hour ahead' },
    { ended: '2026-11-21T08:30:00Z', reason: 'that of the node is an hour behind' },
  ])('failuresOf() lets the next pod wait by its own clock when $reason', ({ ended }) => {
    const sight = seen('2026-11-21T09:30:00.000000Z', 'a');
    expect(failuresIn({ failed: [failed('a', ended)] })).toEqual({
      inARow: 1,
      until: '2026-11-21T09:30:10.000000Z',
      seen: sight,
    });
  });

  it('failuresOf() does not wait anew for a failure that it has seen', () => {
    const pod = failed('a', '2026-11-21T08:30:00Z');
    const before = seen('2026-11-21T09:29:55.000000Z', 'a');
    expect(failuresIn({ failed: [pod] }, { before })).toMatchObject({
      until: '2026-11-21T09:30:05.000000Z',
      seen: before,
    });
  });

  it('failuresOf() waits from now when the failure was seen in the future: by another clock, or before its own was set back', () => {
    const before = seen('2026-11-21T10:30:00.000000Z', 'a');
    expect(failuresIn({ failed: [failed('a', '2026-11-21T09:29:00Z')] }, { before })).toMatchObject({
      until: '2026-11-21T09:30:10.000000Z',
      seen: seen('2026-11-21T09:30:00.000000Z', 'a'),
    });
  });

  it('failuresOf() waits anew for every further failure, also when a node whose clock is ahead says that another was the last', () => {
    const ahead = failed('ahead', '2026-11-21T10:30:00Z', noted(1));
    const before = seen('2026-11-21T09:20:00.000000Z', 'ahead');
    const pods = [ahead, failed('b', '2026-11-21T09:29:59Z', noted(2))];
    const first = failuresIn({ failed: pods }, { before });
    expect(first).toMatchObject({
      until: '2026-11-21T09:31:20.000000Z',
      seen: { podUIDs: ['uid-of-ahead', 'uid-of-b'] },
    });
    expect(failuresIn({ failed: pods }, { now: '2026-11-21T09:31:20Z', before: first.seen }).until).toBe(first.until);
  });

  it('failuresOf() does not wait anew when one of the failed pods that it has seen is gone', () => {
    const before = seen('2026-11-21T09:20:00.000000Z', 'a', 'b');
    expect(failuresIn({ failed: [failed('a', '2026-11-21T09:19:00Z')] }, { before }).seen).toEqual(before);
  });

  it('failuresOf() starts no new delay when a user deletes the pod that failed last: the one before is no new failure', () => {
    const before = seen('2026-11-21T09:29:50.000000Z', 'b');
    const left = failuresIn({ failed: [failed('a', '2026-11-21T09:29:40Z')] }, { before });
    expect(left).toEqual({
      inARow: 1,
      until: '2026-11-21T09:30:00.000000Z',
      seen: seen('2026-11-21T09:29:50.000000Z', 'a'),
    });
  });

  it('failuresOf() starts a new delay for a failure after a user deleted the previous failed pod', () => {
    const before = seen('2026-11-21T09:29:50.000000Z', 'b');
    const { until } = failuresIn({ failed: [failed('c', '2026-11-21T09:29:55Z')] }, { before });
    expect(until).toBe('2026-11-21T09:30:10.000000Z');
  });

  it('failuresOf() waits anew for a failure that its node dates back while the one before is there', () => {
    const before = seen('2026-11-21T09:29:50.000000Z', 'b');
    const pods = [failed('b', '2026-11-21T09:29:50Z'), failed('c', '2026-11-21T09:10:00Z', noted(1))];
    expect(failuresIn({ failed: pods }, { before }).seen?.seenAt).toBe('2026-11-21T09:30:00.000000Z');
  });

  it('failuresOf() counts pods that failed side by side one by one, and waits from the last', () => {
    const pods = ['09:28:00', '09:29:00', '09:27:00'].map((at, i) => failed(`pod-${i}`, `2026-11-21T${at}Z`));
    const before = seen('2026-11-21T09:29:00.000000Z', 'pod-1');
    expect(failuresIn({ failed: pods }, { before })).toEqual({
      inARow: 3,
      until: '2026-11-21T09:29:40.000000Z',
      seen: before,
    });
  });

  it('failuresOf() goes on counting where the pods before were deleted: their replacements carry the count', () => {
    const kept = failed('kept', '2026-11-21T09:20:00Z');
    const made = { ...noted(3), createdAt: '2026-11-21T09:25:00Z' };
    const replacements = ['a', 'b'].map((name, i) => failed(name, `2026-11-21T09:28:0${i}Z`, made));
    expect(failuresIn({ failed: [kept, ...replacements] }).inARow).toBe(5);
  });

  it('failuresOf() does not count a failed pod again that is kept: a living pod made after it carries it', () => {
    const kept = failed('kept', '2026-11-21T09:20:00Z');
    const active = [setPod({ name: 'next', ready: false, ...noted(2), createdAt: '2026-11-21T09:21:00Z' })];
    expect(failuresIn({ active, failed: [kept] }).inARow).toBe(2);
  });

  it('failuresOf() counts a pod that failed after a living one was made on top of what that carries', () => {
    const late = failed('late', '2026-11-21T09:22:00Z');
    const active = [setPod({ name: 'next', ready: false, ...noted(2), createdAt: '2026-11-21T09:21:00Z' })];
    expect(failuresIn({ active, failed: [late] }).inARow).toBe(3);
  });

  it('failuresOf() counts a pod as failed after it was made, also when its node says that it was before', () => {
    const pod = failed('a', '2026-11-21T08:30:00Z', { ...noted(2), createdAt: '2026-11-21T09:29:00Z' });
    expect(failuresIn({ failed: [pod] }).inARow).toBe(3);
  });

  it('failuresOf() begins anew when the pod that failed had run for ten minutes', () => {
    const old = failed('old', '2026-11-21T08:00:00Z', noted(4));
    const ran = failed('ran', '2026-11-21T09:29:00Z', { ...noted(5), startedAt: '2026-11-21T09:19:00Z' });
    expect(failuresIn({ failed: [old, ran] }).inARow).toBe(1);
  });

  it.each([
    { since: '2026-11-21T09:20:00Z', inARow: 0, reason: 'a pod has been ready for ten minutes' },
    { since: '2026-11-21T09:20:01Z', inARow: 3, reason: 'a second is missing' },
  ])('failuresOf() counts $inARow failures when $reason', ({ since, inARow }) => {
    const active = [setPod({ name: 'well', readySince: since })];
    expect(failuresIn({ active, failed: [failed('a', '2026-11-21T09:29:00Z', noted(2))] }).inARow).toBe(inARow);
  });

  it.each([
    { inARow: 0, pods: { a: {}, b: {} }, reason: 'several failed side by side' },
    { inARow: 1, pods: { a: {}, b: noted(0) }, reason: 'one in the place of a failed one failed, too' },
    { inARow: 3, pods: { a: noted(2), b: noted(1) }, reason: 'it goes on like that' },
  ])('failuresOf() counts $inARow failures beside a pod that is well when $reason', ({ inARow, pods }) => {
    const made = { createdAt: '2026-11-21T09:28:00Z' };
    const active = [setPod({ name: 'well', readySince: '2026-11-21T09:10:00Z' })];
    const gone = Object.entries(pods).map(([name, more]) => failed(name, '2026-11-21T09:29:00Z', { ...more, ...made }));
    expect(failuresIn({ active, failed: gone })).toMatchObject({ inARow, ...(inARow === 0 && { isExcused: true }) });
  });

  it.each([
    { ran: { startedAt: '2026-11-21T09:19:00Z' }, inARow: 0, reason: 'it had run for ten minutes' },
    { ran: { startedAt: '2026-11-21T09:19:01Z' }, inARow: 6, reason: 'it had not' },
    { ran: {}, inARow: 6, reason: 'it never ran, whatever the clock of its node says of its end' },
  ])('failuresOf() counts $inARow failures beside a pod that is well when $reason', ({ ran, inARow }) => {
    const active = [setPod({ name: 'well', readySince: '2026-11-21T09:00:00Z' })];
    const pod = failed('a', '2026-11-21T09:29:00Z', { ...noted(5), ...ran, createdAt: '2026-11-21T09:15:00Z' });
    expect(failuresIn({ active, failed: [pod] }).inARow).toBe(inARow);
  });

  it('failuresOf() remembers a count that only a living pod carries, and then waits for nothing', () => {
    expect(failuresIn({ active: [setPod({ name: 'a', ready: false, ...noted(3) })] })).toEqual({ inARow: 3 });
  });

  it.each(['', 'many', '-1', '1e3', '99999999'])('failuresOf() takes the count "%s" for none', (text) => {
    const pod = setPod({ name: 'a', annotations: { [FAILURES_ANNOTATION]: text } });
    expect(failuresIn({ active: [pod] }).inARow).toBe(0);
  });
});

describe('the kind and failed pods', () => {
  const spec = { replicas: 2 };
  const well = setPod({ name: slot(0), readySince: '2026-11-21T09:25:00Z' });

  it('the kind waits with the next pod, keeps all that failed, and says so when a pod has failed', () => {
    const children = [well, ...['09:29:54', '09:29:55'].map((at, i) => failed(slot(i + 1), `2026-11-21T${at}Z`))];
    const result = desiredOf({ spec, children });
    expect(namesBy(result, 'apply')).toEqual([]);
    expect(namesBy(result, 'remove')).toEqual([]);
    const condition = result.conditions?.find(({ type }) => type === 'ReplicaFailure');
    expect(condition).toMatchObject({ status: 'True', reason: 'FailedPodBackoff' });
    expect(condition?.message).toBe('2 pods in a row failed; the next one waits');
    const message =
      'Pods fail. The next pod is created 20 s after the last failure; the delay doubles with each failure';
    expect(result.events).toEqual([{ type: 'Warning', reason: 'FailedPodBackoff', message }]);
  });

  it('the kind replaces a failed pod when the delay is over, notes the failures on it, and keeps the newest failed one', () => {
    const children = [well, ...['09:28:00', '09:28:30'].map((at, i) => failed(slot(i + 1), `2026-11-21T${at}Z`))];
    const lastFailure = seen('2026-11-21T09:29:40.000000Z', slot(2));
    const result = desiredOf({ spec, children, status: { lastFailure } });
    expect(result.status.lastFailure).toEqual(lastFailure);
    expect(madeBy(result).map(({ metadata }) => [metadata?.name, metadata?.annotations])).toEqual([
      [slot(3), { [FAILURES_ANNOTATION]: '2' }],
    ]);
    expect(namesBy(result, 'remove')).toEqual([slot(1)]);
  });

  it('the kind replaces a failed pod at once when another one has been well for ten minutes', () => {
    const others = setPod({ name: slot(0) });
    const result = desiredOf({ spec, children: [others, failed(slot(1), '2026-11-21T09:29:59Z')] });
    expect(madeBy(result).map(({ metadata }) => metadata?.annotations)).toEqual([{ [FAILURES_ANNOTATION]: '0' }]);
  });

  it('the kind waits when what took the place of a failed pod fails soon, too, however well another one is', () => {
    const made = { ...noted(0), createdAt: '2026-11-21T09:29:58Z' };
    const children = [setPod({ name: slot(0) }), failed(slot(1), '2026-11-21T09:29:59Z', made)];
    const result = desiredOf({ spec, children });
    expect(madeBy(result)).toEqual([]);
    expect(conditionIn(result, 'ReplicaFailure')?.message).toBe('1 pod failed; the next one waits');
  });

  it('the kind writes down when it saw the failure that it waits for, and forgets it with the pod', () => {
    const lastFailure = seen('2026-11-21T09:30:00.000000Z', slot(1));
    const pod = failed(slot(1), '2026-11-21T09:30:00Z');
    expect(desiredOf({ spec, children: [well, pod] }).status.lastFailure).toEqual(lastFailure);
    const children = [well, setPod({ name: slot(2) })];
    const status = { lastFailure };
    expect(desiredOf({ spec, status, children: [...children, pod] }).status.lastFailure).toEqual(lastFailure);
    expect(desiredOf({ spec, status, children }).status.lastFailure).toBeUndefined();
  });

  it('the kind keeps what it saw while the spec contradicts itself', () => {
    const lastFailure = seen('2026-11-21T09:29:55.000000Z', slot(1));
    const broken = { ...spec, selector: { matchLabels: { app: 'other' } } };
    const children = [well, failed(slot(1), '2026-11-21T09:29:55Z')];
    const result = desiredOf({ spec: broken, status: { lastFailure }, children });
    expect(result.state).toMatchObject({ state: 'stalled', reason: 'InvalidSpec' });
    expect(result.status.lastFailure).toEqual(lastFailure);
  });

  it.each([
    { keepLast: 0, replicas: 1, removed: 3, reason: 'none is to be kept' },
    { keepLast: 2, replicas: 1, removed: 1, reason: 'two are to be kept' },
    { keepLast: 5, replicas: 1, removed: 0, reason: 'more are to be kept than there are' },
    { keepLast: 2, replicas: 0, removed: 3, reason: 'no pod is wanted at all' },
  ])('the kind removes $removed of three failed pods when $reason', ({ keepLast, replicas, removed }) => {
    const gone = ['09:01', '09:02', '09:03'].map((at, i) => failed(slot(i + 1), `2026-11-21T${at}:00Z`));
    const result = desiredOf({ spec: { replicas, failedPods: { keepLast } }, children: [well, ...gone] });
    expect(namesBy(result, 'remove').filter((name) => name !== slot(0))).toHaveLength(removed);
  });

  it('the kind removes a pod that ended well and replaces it under another name', () => {
    const result = desiredOf({ spec, children: [well, setPod({ name: slot(1), phase: 'Succeeded' })] });
    expect(namesBy(result, 'remove')).toEqual([slot(1)]);
    expect(namesBy(result, 'apply')).toEqual([slot(2)]);
  });

  it('the kind does not let failures of another template delay a repair', () => {
    const children = [
      well,
      setPod({ name: slot(1), phase: 'Failed', revision: 'broken', finishedAt: '2026-11-21T09:29:59Z' }),
    ];
    expect(namesBy(desiredOf({ spec, children }), 'apply')).toEqual([slot(2)]);
  });
});
