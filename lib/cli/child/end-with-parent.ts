import { Worker } from 'node:worker_threads';

/** Grace period for passes after the parent process has ended, in milliseconds. */
export const GRACE_MS = 5000;

/**
 * Code of a thread that watches the parent process. After the end of the parent, the thread kills this process and all that it has started,
 * even while a kind blocks the main thread. The main thread sends a message when the operator begins to run. From then on, the thread waits for a
 * grace period before it kills the process.
 */
const GUARD = `
const { parentPort, workerData: { starter, graceMs } } = require('node:worker_threads');
let patienceMs = 0;
parentPort.on('message', () => (patienceMs = graceMs));
const timer = setInterval(() => {
  if (process.ppid === starter) return;
  clearInterval(timer);
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), patienceMs);
}, 500);
`;

/**
 * Ends this process and all that it has started after its parent has ended, even while a kind blocks the main thread.
 *
 * @param starter - the process id of the parent, which may already have ended
 * @returns `works`: called when the process begins to work, and needs a grace period at its end
 */
export const endWithParent = (starter: number): { readonly works: () => void } => {
  const guard = new Worker(GUARD, { eval: true, workerData: { starter, graceMs: GRACE_MS } });
  return { works: () => guard.postMessage('works') };
};
