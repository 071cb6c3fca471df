import { setTimeout as sleep } from 'node:timers/promises';
import { ControlPlaneError } from './error.ts';

/** Options of {@link waitFor}. */
export interface WaitOptions {
  /** Upper bound of the wait, not a measure of speed. @default 180000 */
  readonly timeoutMs?: number;
  /** @default 20 */
  readonly pollMs?: number;
}

/**
 * Polls until the condition is true.
 * @param what the condition in the error message, such as `node "a" to be ready`
 * @throws {ControlPlaneError} NOT_READY after the time-out
 */
export async function waitFor(
  what: string,
  isTrue: () => Promise<boolean>,
  { timeoutMs = 180_000, pollMs = 20 }: WaitOptions = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      throw new ControlPlaneError('NOT_READY', `Cannot go on: still waiting for ${what} after ${timeoutMs} ms`);
    }
    await sleep(pollMs);
  }
}
