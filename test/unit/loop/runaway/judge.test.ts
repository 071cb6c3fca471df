import { describe, expect, it } from 'vitest';
import { createJudge } from '#lib/loop/guardian/runaway/judge.ts';

const EVERY_MS = 250;

/**
 * Observes a running call `glances` times, every `gapMs` and each time with `cpuMs` more of CPU time. @returns whether the call
 * counts as hanging
 */
const verdictOf = ({ glances, gapMs, cpuMs }: { glances: number; gapMs: number; cpuMs: number }): boolean => {
  const judge = createJudge({ limitMs: 1000, everyMs: EVERY_MS });
  const seen = Array.from({ length: glances }, (_, index) =>
    judge({ sequence: 1, cpuMs: index * cpuMs, nowMs: index * gapMs }),
  );
  return seen.includes(true);
};

describe('createJudge()', () => {
  it.each([
    { reason: 'it worked for more than a second', glances: 6, gapMs: 250, cpuMs: 250, hangs: true },
    { reason: 'it worked for less than a second', glances: 4, gapMs: 250, cpuMs: 250, hangs: false },
    { reason: 'the process got no CPU', glances: 100, gapMs: 250, cpuMs: 5, hangs: false },
    { reason: 'the machine slept', glances: 2, gapMs: 3_600_000, cpuMs: 2000, hangs: false },
  ])('createJudge() finds that a call hangs: $hangs, when $reason', ({ hangs, ...given }) => {
    expect(verdictOf(given)).toBe(hangs);
  });

  it('createJudge() starts anew with every call, and does not count the time between them', () => {
    const judge = createJudge({ limitMs: 1000, everyMs: EVERY_MS });
    const verdicts = Array.from({ length: 100 }, (_, index) =>
      judge({ sequence: index % 4 === 3 ? 2 : 1 + 2 * Math.floor(index / 4), cpuMs: index * 250, nowMs: index * 250 }),
    );
    expect(verdicts).not.toContain(true);
  });
});
