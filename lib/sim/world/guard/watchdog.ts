import { isMainThread, Worker } from 'node:worker_threads';

/** Interval of the checks of the watchdog, in milliseconds. */
const LOOK_MS = 250;

/**
 * Processor time after which a step is ended, in milliseconds. A correct step needs far less. On a busy machine, the limit takes
 * longer in real time.
 */
export const LIMIT_MS = 4000;

/**
 * Real time after which a step is ended that has used less processor time than `LIMIT_MS`, in milliseconds. The limit is long,
 * because a process on a busy machine also gets little processor time.
 */
const IDLE_LIMIT_MS = 120_000;

/**
 * Indexes of the memory that the threads share: current step (0 for none), last terminated step, and a cell that never changes.
 * The watchdog waits for a change of this cell with a timeout, to pause between two checks.
 */
const STEP = 0;
const ENDED = 1;
const PAUSE = 2;

/**
 * The code of the watchdog. The watchdog runs in its own thread, because a thread that is stuck cannot end its own code. The
 * watchdog uses the debugger to end the code of the main thread.
 */
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
  // The watchdog can end only code of the main thread. In any other thread, a function that never returns blocks the thread for
  // ever.
  if (isMainThread) new Worker(WATCHDOG, { eval: true, workerData: memory }).unref();
  return memory;
};

/**
 * Limits the time from now until the returned function is called. Code that blocks the main thread for longer is terminated
 * without an exception: its callers do not continue, but the event loop continues.
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
