/**
 * Loaded into an operator before anything else: for its process twelve seconds pass in one, in durations and timers of all its
 * threads. So what takes minutes in production is seen in a test; the rest of the world goes at its own pace.
 */
const PACE = 12;
const PACE_BIG = 12n;

const elapsed = performance.now.bind(performance);
const nanoseconds = process.hrtime.bigint.bind(process.hrtime);
const { setTimeout: timeout, setInterval: interval } = globalThis;

performance.now = () => elapsed() * PACE;
process.hrtime.bigint = () => nanoseconds() * PACE_BIG;

type Timer = (callback: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) => NodeJS.Timeout;

const sooner =
  (timer: Timer): Timer =>
  (callback, delayMs = 0, ...args) =>
    timer(callback, delayMs / PACE, ...args);

Object.assign(globalThis, { setTimeout: sooner(timeout as Timer), setInterval: sooner(interval as Timer) });
