import { isMainThread, Worker } from 'node:worker_threads';

/** How often the watchdog looks, and how often it must see the same call before it ends it: 2 s, far beyond any sane call. */
const LOOK_MS = 250;
const LOOKS = 8;

/** How long a call may take, in milliseconds. */
export const LIMIT_MS = LOOK_MS * LOOKS;

/**
 * A thread of its own, for one that is stuck can do nothing. It ends what the main thread runs by means of the debugger.
 * A call is a number, its end is 0.
 */
const WATCHDOG = `
  const { workerData: { call, pause } } = require('node:worker_threads');
  const { Session } = require('node:inspector');
  for (let last = 0, looks = 0; ; ) {
    Atomics.wait(pause, 0, 0, ${LOOK_MS});
    const now = Atomics.load(call, 0);
    looks = now !== 0 && now === last ? looks + 1 : 0;
    last = now;
    if (looks < ${LOOKS}) continue;
    const session = new Session();
    session.connectToMainThread();
    session.post('Runtime.terminateExecution');
    session.disconnect();
    looks = 0;
  }`;

let call: Int32Array | undefined;
let calls = 0;

const start = (): Int32Array => {
  const shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  // Another thread than the main one cannot be ended in this way; there a call that never returns is a hang.
  if (isMainThread) new Worker(WATCHDOG, { eval: true, workerData: { call: shared, pause } }).unref();
  return shared;
};

/**
 * Calls a function. When it does not return in time everything that runs is ended, without an exception: neither
 * this returns nor does what called it go on; the event loop does.
 *
 * @see https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-terminateExecution
 */
export const underWatch = <Result>(run: () => Result): Result => {
  call ??= start();
  calls = (calls % 0x7fff_ffff) + 1;
  Atomics.store(call, 0, calls);
  try {
    return run();
  } finally {
    Atomics.store(call, 0, 0);
  }
};
