import { setImmediate } from 'node:timers/promises';
import { watchOver } from './watchdog.ts';

/** The result of a call that may throw, or never return. */
export interface Called {
  readonly hangs: boolean;
  /** The thrown value; absent if the call did not throw. */
  readonly error?: unknown;
}

/**
 * Runs a call on a separate stack: if the call never returns, the watchdog of the main thread can end it without ending its
 * callers. The function then waits one turn of the event loop, so that all pending promise callbacks have run.
 */
export const detached = async (call: () => void): Promise<Called> => {
  let thrown: { readonly error?: unknown } = {};
  const endWatch = watchOver();
  queueMicrotask(() => {
    try {
      call();
    } catch (error) {
      thrown = { error };
    }
  });
  await setImmediate();
  return { hangs: endWatch(), ...thrown };
};

/**
 * Returns the result of a synchronous function.
 *
 * @throws {TypeError} if the function returns a promise; if this promise rejects, the rejection is ignored
 */
export const atOnce = <Result>(result: Result): Result => {
  if (!(result instanceof Promise)) return result;
  result.catch(() => undefined);
  throw new TypeError('it returned a promise, which is not awaited; it must not be asynchronous');
};
