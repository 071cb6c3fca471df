import type { Timers } from '#lib/kube/interface/timers.ts';

export interface ManualTimers extends Timers {
  /** Delays of the pending timers, in milliseconds from now, soonest first. */
  pending(): number[];
  /** Advances the time: fires due timers in order, and waits for the work that follows from them. */
  advance(ms: number): Promise<void>;
}

/** Runs everything that needs no time: promise callbacks, and callbacks of callbacks. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

/** A clock that advances only through `advance()`. */
export const manualTimers = (startMs = 1_700_000_000_000): ManualTimers => {
  let nowMs = startMs;
  const timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();
  const next = () => [...timers].toSorted((a, b) => a.atMs - b.atMs)[0];
  return {
    now: () => nowMs,
    elapsed: () => nowMs - startMs,
    setTimer: (delayMs, callback) => {
      const timer = { atMs: nowMs + Math.max(0, delayMs), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pending: () => [...timers].map((timer) => timer.atMs - nowMs).toSorted((a, b) => a - b),
    advance: async (ms) => {
      const endMs = nowMs + ms;
      await settle();
      for (let timer = next(); timer !== undefined && timer.atMs <= endMs; timer = next()) {
        nowMs = timer.atMs;
        timers.delete(timer);
        timer.callback();
        await settle();
      }
      nowMs = endMs;
    },
  };
};
