import { Script } from 'node:vm';
import { hungError } from './hung.ts';

/** The symbol of a global variable for the function, because a script of `node:vm` is only text. */
const SLOT = Symbol.for('cdk8s-reconcile.limited-call');

const script = new Script(`globalThis[Symbol.for('cdk8s-reconcile.limited-call')]()`);

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Calls a function, and interrupts the call when it takes too long, even in an endless loop. The limit adds about 120 µs to a
 * call.
 *
 * Caveats: an interrupted function does not execute its `finally` blocks.
 *
 * @param limitMs - milliseconds, an integer >= 1
 * @throws {ReconcileError} with the code `DesiredHung` when the call was interrupted; also the errors of the function
 */
export const runLimited = <R>(call: () => R, limitMs: number): R => {
  try {
    Reflect.set(globalThis, SLOT, call);
    return script.runInThisContext({ timeout: limitMs }) as R;
  } catch (error) {
    throw isTimeout(error) ? hungError() : error;
  } finally {
    Reflect.deleteProperty(globalThis, SLOT);
  }
};
