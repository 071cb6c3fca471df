import { describe, expect, it } from 'vitest';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { PodTraits } from '#test/unit/support/pods.ts';
import { desiredOf, madeBy, namesBy, setPod, slot } from './support.ts';

const START = Date.parse('2026-11-21T10:00:00Z');
const at = (second: number): string => new Date(START + second * 1000).toISOString();

/** A pod that its node rejects at once. */
const turnedAway = (name: string, second: number, annotations: PodTraits['annotations'] = {}): ObservedPod =>
  setPod({
    name,
    phase: 'Failed',
    annotations,
    createdAt: at(second),
    readySince: at(second),
    uid: `${name}-${second}`,
  });

/**
 * Number of pods that a set creates in half an hour when nodes reject every new one, with or without older ready pods.
 */
const madeInHalfAnHour = (well: readonly ObservedPod[], replicas: number, keepLast: number): number => {
  let children: readonly ObservedPod[] = well;
  let status = {};
  let made = 0;
  for (let second = 0; second < 1800; second += 10) {
    const spec = { replicas, failedPods: { keepLast } };
    const result = desiredOf({ spec, children, status, now: at(second) });
    const fresh = madeBy(result);
    const gone = namesBy(result, 'remove');
    made += fresh.length;
    children = [
      ...children.filter(({ metadata }) => !gone.includes(metadata?.name ?? '')),
      ...fresh.map(({ metadata }) => turnedAway(metadata?.name ?? '', second, metadata?.annotations)),
    ];
    status = result.status;
  }
  return made;
};

const isWell = setPod({ name: slot(0), readySince: '2026-11-21T08:00:05Z' });

describe('a machine that turns every pod away', () => {
  it.each([
    { well: [], keepLast: 1, reason: 'no pod is well' },
    { well: [], keepLast: 0, reason: 'no pod is well and failed ones are not kept' },
    { well: [isWell], keepLast: 1, reason: 'another one has been well for hours' },
    { well: [isWell], keepLast: 0, reason: 'another one has been well for hours and failed ones are not kept' },
  ])('the kind makes a pod every five minutes in the end, not thousands, when $reason', ({ well, keepLast }) => {
    const made = madeInHalfAnHour(well, well.length + 1, keepLast);
    expect(made).toBeGreaterThanOrEqual(9);
    expect(made).toBeLessThanOrEqual(12);
  });

  it('the kind makes the pods of a scale-up at once, and lets one wait, while another is turned away', () => {
    const away = turnedAway(slot(1), 0, { 'app.example.com/failures': '0' });
    const now = at(2);
    const result = desiredOf({ spec: { replicas: 5 }, children: [isWell, away], status: {}, now });
    expect(madeBy(result)).toHaveLength(3);
    expect(namesBy(result, 'remove')).toEqual([]);
    expect(result.status.lastFailure).toMatchObject({ podUIDs: [away.metadata?.uid] });
  });
});
