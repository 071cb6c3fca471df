import { describe, expect, it } from 'vitest';
import type { DesiredEvent } from '#lib/desired/result/desired.ts';
import { desiredOf, setPod, slot } from '../support.ts';

type Given = Parameters<typeof desiredOf>[0];

const failed = (index: number) =>
  setPod({ name: slot(index), phase: 'Failed', finishedAt: `2026-11-21T09:29:${10 + index}Z` });

const running = (index: number) => setPod({ name: slot(index), readySince: '2026-11-21T09:28:00Z' });

/** The events while one pod after the other fails; each pass has the status of the previous one. */
const whileFailing = (replicas: number): readonly DesiredEvent[] => {
  const pods = Array.from({ length: replicas }, (_, index) => index);
  let status: Given['status'] = {};
  return pods.flatMap((last) => {
    const children = pods.map((index) => (index <= last ? failed(index) : running(index)));
    const result = desiredOf({ spec: { replicas }, status, children, now: '2026-11-21T09:29:30Z' });
    const conditions = (result.conditions ?? []).map((condition) => ({
      ...condition,
      observedGeneration: 1,
      lastTransitionTime: '2026-11-21T09:29:00Z',
    }));
    status = { ...result.status, conditions };
    return result.events ?? [];
  });
};

describe('the story of a PodSet', () => {
  it('ten pods that fail one after the other cause an event for each delay, not for each pod', () => {
    const events = whileFailing(10);
    const messages = events.filter(({ reason }) => reason === 'FailedPodBackoff').map(({ message }) => message);
    const delays = messages.map((message) => Number(/ (\d+) s /.exec(message)?.[1]));
    // From the sixth failure on the delay does not grow.
    expect([...new Set(delays)]).toEqual([10, 20, 40, 80, 160, 300]);
    expect(new Set(messages).size).toBe(6);
  });
});
