import { describe, expect, it } from 'vitest';
import type { ImmortalContainerStatus } from '#constructs/immortal-container/types.ts';
import type { DesiredEvent } from '#lib/desired/result/desired.ts';
import { desiredAt, observed, statusWith } from './scene.ts';

/** The instant `minute` minutes after the creation. */
const at = (minute: number): string => new Date(Date.UTC(2026, 10, 21, 9, minute)).toISOString().replace('.000', '');

interface Moment {
  readonly status: Partial<ImmortalContainerStatus>;
  readonly events: readonly DesiredEvent[];
}

/** One life: a pod starts, fails and is deleted, and its delay passes. */
const life = (before: Moment, index: number): Moment => {
  const [started, failedAt, over] = [at(index * 10), at(index * 10 + 1), at(index * 10 + 9)];
  const traits = { uid: `pod-${index}`, ordinal: index + 1 };
  const end = { phase: 'Failed', ready: false, terminated: { exitCode: 1, at: failedAt } } as const;
  const looks = [
    { pod: observed({ ...traits, readySince: started }), now: started },
    { pod: observed({ ...traits, ...end }), now: failedAt },
    { now: failedAt },
    { now: over },
  ];
  return looks.reduce<Moment>(({ status, events }, look) => {
    const result = desiredAt({ ...look, status });
    return { status: result.status, events: [...events, ...(result.events ?? [])] };
  }, before);
};

const lives = (count: number): readonly DesiredEvent[] =>
  Array.from({ length: count }, (_, index) => index).reduce<Moment>(life, { status: statusWith({}), events: [] })
    .events;

describe('the story of an ImmortalContainer', () => {
  it('events report one life from the first pod to the delay after its end', () => {
    expect(lives(1).map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual([
      'Normal PodCreated: The first pod is web-immortalpod with image nginx:latest',
      'Warning PodExited: The pod ended: Error, exit code 1',
      'Warning BackingOff: The next pod is created 10 s after the last pod ended; the delay doubles each time',
    ]);
  });

  it('thirty lives have few different messages, so that they form series and the last is reported as the first', () => {
    const events = lives(30);
    const words = new Set(events.map(({ reason, message }) => `${reason} ${message}`));
    expect(events.filter(({ reason }) => reason === 'PodExited')).toHaveLength(30);
    expect(events.filter(({ reason }) => reason === 'PodReplaced')).toHaveLength(29);
    // One message of each of three sorts, and one for each delay until the delay stops growing.
    expect(words.size).toBe(3 + 6);
  });

  it('a delay is reported when it begins, and not again while it lasts', () => {
    const status = statusWith({ phase: 'BackingOff', startTimes: 9, consecutiveFailures: 9, nextStartTime: at(60) });
    const shortened = desiredAt({ status, spec: { backoff: { maxSeconds: 20 } }, now: at(30) });
    expect(shortened.status).toMatchObject({ phase: 'BackingOff', nextStartTime: '2026-11-21T09:30:20.000000Z' });
    expect(shortened.events).toEqual([]);
  });

  it.each([
    { spec: { suspend: true }, reason: 'Suspended' },
    { spec: { image: 'nginx:2' }, reason: 'Replaced' },
    { spec: {}, reason: 'Deleted' },
  ])('a pod that is deleted on purpose is no warning: $reason', ({ spec, reason }) => {
    const status = { ...desiredAt({ pod: observed() }).status };
    const { events } = desiredAt({ spec, status });
    expect(events?.[0]).toEqual({ type: 'Normal', reason: 'PodExited', message: `The pod ended: ${reason}` });
  });
});
