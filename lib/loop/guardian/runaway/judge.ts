/** The main thread at one moment. */
export interface Glance {
  /** Counts up with every call that begins and with every call that ends: odd while one is under way. */
  readonly sequence: number;
  /** CPU time of the whole process so far, in milliseconds. */
  readonly cpuMs: number;
  /** Milliseconds on a clock that only grows. */
  readonly nowMs: number;
}

/** How strict a judge is. */
export interface JudgeOptions {
  /** The longest that one call may take, in milliseconds of time and of CPU time. */
  readonly limitMs: number;
  /** How often the judge looks, in milliseconds. */
  readonly everyMs: number;
}

interface Trial {
  readonly sequence: number;
  readonly cpuMs: number;
  readonly seenMs: number;
  readonly awakeMs: number;
}

/** The number of intervals between two glances beyond which the process slept. */
const LONGEST_GAP = 2;

/**
 * Judges whether one call hangs.
 *
 * Guarantees: a machine that sleeps, a process that is stopped or gets no CPU, and a debugger that holds the main thread, are
 * not held against a call: it must have been under way for `limitMs` of glances, and have used `limitMs` of CPU time.
 *
 * @returns looks once more; true when the call hangs
 */
export const createJudge = ({ limitMs, everyMs }: JudgeOptions): ((glance: Glance) => boolean) => {
  let trial: Trial | undefined;
  return ({ sequence, cpuMs, nowMs }) => {
    if (sequence % 2 === 0) {
      trial = undefined;
      return false;
    }
    if (trial?.sequence !== sequence) {
      trial = { sequence, cpuMs, seenMs: nowMs, awakeMs: 0 };
      return false;
    }
    const awakeMs = trial.awakeMs + Math.min(nowMs - trial.seenMs, LONGEST_GAP * everyMs);
    trial = { ...trial, seenMs: nowMs, awakeMs };
    return awakeMs >= limitMs && cpuMs - trial.cpuMs >= limitMs;
  };
};
