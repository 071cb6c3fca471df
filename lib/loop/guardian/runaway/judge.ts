/** The state of the main thread at one moment. */
export interface Glance {
  /** A number that grows when a call begins and when a call ends. It is odd while a call is running. */
  readonly sequence: number;
  /** CPU time of the whole process so far, in milliseconds. */
  readonly cpuMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: number;
}

/** Options of {@link createJudge}. */
export interface JudgeOptions {
  /** The maximum duration of a call, in milliseconds, both of elapsed time and of CPU time. */
  readonly limitMs: number;
  /** The interval between two glances, in milliseconds. */
  readonly everyMs: number;
}

interface Trial {
  readonly sequence: number;
  readonly cpuMs: number;
  readonly seenMs: number;
  readonly awakeMs: number;
}

/**
 * The maximum time between two glances that counts towards the limit, in intervals. A longer time shows that the process did not
 * run.
 */
const LONGEST_GAP = 2;

/**
 * Makes a function that decides whether a call hangs.
 *
 * Guarantees: a call hangs only if it was running for `limitMs` of observed time, and the process used `limitMs` of CPU time. A
 * call therefore does not hang when the machine sleeps, the process is stopped or gets no CPU, or a debugger stops the main
 * thread.
 *
 * @returns a function to call at each interval; it returns true when the call hangs
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
