import { Script } from 'node:vm';
import { hungError } from './hung.ts';

/** Where the script finds what to call. A symbol of the registry is not used by accident. */
const SLOT = Symbol.for('cdk8s-reconcile.limited-call');

const script = new Script(`globalThis[Symbol.for('cdk8s-reconcile.limited-call')]()`);

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Calls a function, and interrupts it when it takes too long, endless loops included. Costs some 120 µs.
 *
 * Caveats: what is interrupted does not even run its `finally` blocks.
 *
 * @param limitMs - milliseconds, an integer >= 1
 * @throws {ReconcileError} of code `DesiredHung` when it was interrupted; else what the function throws
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
