import { describe, expect, it } from 'vitest';
import { type ProgressBefore, progressOf } from '#constructs/pod-set/report/progress.ts';
import { passClock } from '#lib/desired/clock.ts';
import { NOW } from '../support.ts';

const SINCE = '2026-11-21T09:25:00.000000Z';
const LOOKED = '2026-11-21T09:30:00.000000Z';

/** An update in progress: two of four pods are new, three are ready, and two of them available. */
const atRest = {
  observedGeneration: 2,
  replicas: 4,
  updatedReplicas: 2,
  readyReplicas: 3,
  availableReplicas: 2,
  updateRevision: 'new',
};
const before = { ...atRest, progressingSince: SINCE };
const counts = { active: 4, updated: 2, ready: 3, available: 2, updatedAvailable: 1, terminating: 0 };

interface Given {
  readonly before?: ProgressBefore;
  readonly counts?: Partial<typeof counts>;
  readonly generation?: number;
  readonly revision?: string;
  readonly deadlineSeconds?: number;
}

const look = (given: Given = {}) => {
  const pass = passClock(Date.parse(NOW) * 1000);
  const asked = { before, generation: 2, revision: 'new', deadlineSeconds: 600, ...given, clock: pass.clock };
  return { progress: progressOf({ ...asked, counts: { ...counts, ...given.counts } }), pass };
};

describe('progressOf()', () => {
  it.each<Given & { readonly reason: string }>([
    { reason: 'one more pod is new', counts: { updated: 3 } },
    { reason: 'an old pod is gone', counts: { active: 3 } },
    { reason: 'one more pod is ready', counts: { ready: 4 } },
    { reason: 'one more pod is available', counts: { available: 3 } },
    { reason: 'the spec was edited', generation: 3 },
    { reason: 'another template is wanted', revision: 'newer' },
    { reason: 'the last status was at rest', before: atRest },
    { reason: 'there is no status yet', before: {} },
  ])('progressOf() counts from now when $reason', (given) => {
    expect(look(given).progress).toEqual({ since: LOOKED, isOverdue: false });
  });

  it.each<Given & { readonly reason: string }>([
    { reason: 'nothing has changed' },
    { reason: 'a pod is not ready any more', counts: { ready: 2, available: 1 } },
    { reason: 'a new pod is gone', counts: { active: 3, updated: 1 } },
    { reason: 'a pod is being deleted besides', counts: { terminating: 1 } },
  ])('progressOf() counts from where it did when $reason', (given) => {
    expect(look(given).progress).toEqual({ since: SINCE, isOverdue: false });
  });

  it.each([
    { deadlineSeconds: 301, isOverdue: false },
    { deadlineSeconds: 300, isOverdue: true },
  ])('progressOf() says overdue: $isOverdue after 300 s of a deadline of $deadlineSeconds s', (given) => {
    expect(look(given).progress).toEqual({ since: SINCE, isOverdue: given.isOverdue });
  });

  const overdue = {
    ...before,
    conditions: [
      {
        type: 'Progressing',
        status: 'False' as const,
        reason: 'ProgressDeadlineExceeded',
        message: '',
        lastTransitionTime: LOOKED,
      },
    ],
  };

  it.each([SINCE, '2026-11-21T10:25:00.000000Z'])(
    'progressOf() leaves what was overdue overdue until something moves, whatever its clock makes of %s',
    (progressingSince) => {
      const given = { ...overdue, progressingSince };
      expect(look({ before: given }).progress).toEqual({ since: progressingSince, isOverdue: true });
      expect(look({ before: given, counts: { ready: 4 } }).progress).toEqual({ since: LOOKED, isOverdue: false });
    },
  );

  it('progressOf() counts from now when the last progress is in the future: by another clock, or before its own was set back', () => {
    const given = { ...before, progressingSince: '2026-11-21T10:25:00.000000Z' };
    expect(look({ before: given }).progress).toEqual({ since: LOOKED, isOverdue: false });
  });

  it('progressOf() has the clock wait for the deadline, so that it is noticed when nothing happens', () => {
    expect(look().pass.awaited()).toBe(Date.parse('2026-11-21T09:35:00Z') * 1000);
  });
});
