import { isMainThread, Worker } from 'node:worker_threads';

/** How often the watchdog looks. */
const LOOK_MS = 250;

/** How long a step may keep a processor busy, in milliseconds; far beyond any sane one. On a busy machine it may take longer. */
export const LIMIT_MS = 4000;

/** Limit for a call that only waits, in milliseconds. Long, because waiting looks the same as a busy machine. */
const IDLE_LIMIT_MS = 120_000;

/** What the threads share: the number of the step that is under way, 0 for none; the last step that was ended; nothing. */
const STEP = 0;
const ENDED = 1;
const PAUSE = 2;

/** A thread of its own, for one that is stuck can do nothing. It ends what the main thread runs by means of the debugger. */
const WATCHDOG = `
  const { workerData: shared } = require('node:worker_threads');
  const { Session } = require('node:inspector');
  const busyMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  for (let last = 0, since = 0, busySince = 0; ; ) {
    Atomics.wait(shared, ${PAUSE}, 0, ${LOOK_MS});
    const now = Atomics.load(shared, ${STEP});
    if (now === 0 || now !== last) {
      last = now;
      since = performance.now();
      busySince = busyMs();
      continue;
    }
    if (busyMs() - busySince < ${LIMIT_MS} && performance.now() - since < ${IDLE_LIMIT_MS}) continue;
    Atomics.store(shared, ${ENDED}, now);
    const session = new Session();
    session.connectToMainThread();
    session.post('Runtime.terminateExecution');
    session.disconnect();
    last = 0;
  }`;

let shared: Int32Array | undefined;
let steps = 0;

const start = (): Int32Array => {
  const memory = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  // Another thread than the main one cannot be ended in this way; there a function that never returns is a hang.
  if (isMainThread) new Worker(WATCHDOG, { eval: true, workerData: memory }).unref();
  return memory;
};

/**
 * Limits the time from now until the returned function is called. Code that blocks the thread for longer is terminated without
 * an exception: its callers do not continue, but the event loop continues.
 *
 * @returns a function that removes the limit; this function returns true if the code was terminated
 * @see https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-terminateExecution
 */
export const watchOver = (): (() => boolean) => {
  shared ??= start();
  const memory = shared;
  steps = (steps % 0x7fff_ffff) + 1;
  const step = steps;
  Atomics.store(memory, STEP, step);
  return () => {
    Atomics.store(memory, STEP, 0);
    return Atomics.load(memory, ENDED) === step;
  };
};
