import { url as debuggerUrl } from 'node:inspector';
import process from 'node:process';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { functionPlace } from './function-place.ts';
import { CALL_LIMIT_MS, hungOnceError, isHung } from './hung.ts';
import { runLimited } from './run-limited.ts';
import { type KindFunction, withCalls } from './with-calls.ts';

/**
 * The maximum number of attempts for a call that gets too little CPU time. A call that sleeps uses no CPU time and must end,
 * too.
 */
const ATTEMPTS = 4;

/** An attempt that got at least this share of a CPU was long enough to judge the function. */
const BUSY_SHARE = 1 / 4;

const busyMsSince = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

/** Adds the position of the function to the error, because an interrupted call leaves no stack. */
const hungIn = (called: KindFunction): Error => {
  const error = hungOnceError();
  const place = functionPlace(called);
  if (place?.line !== undefined)
    error.stack = `${error.name}: ${error.message}\n    at ${called.name} (${place.path}:${place.line}:1)`;
  return error;
};

/**
 * Calls a function of a kind, and interrupts it when it does not return within its limit, where no other thread watches over it.
 * Costs some 120 µs.
 *
 * Guarantees: a slow machine is not held against the function: it is called again, for it is pure, while the process got less than
 * a quarter of the processor, four times at most. While a debugger listens there is no limit, so that an author may stop in the function.
 *
 * @param called - the function, for the position in the error
 * @param limitMs - milliseconds, an integer >= 1
 * @throws {ReconcileError} of code `DesiredHung` when it was interrupted, with the function as its stack; else what the function throws
 */
export const limitedCall = <R>(called: KindFunction, call: () => R, limitMs: number = CALL_LIMIT_MS): R => {
  if (debuggerUrl() !== undefined) return call();
  for (let attempt = 1; ; attempt += 1) {
    const start = process.cpuUsage();
    try {
      return runLimited(call, limitMs);
    } catch (error) {
      if (!isHung(error)) throw error;
      if (attempt === ATTEMPTS || busyMsSince(start) >= limitMs * BUSY_SHARE) throw hungIn(called);
    }
  }
};

/** Returns a kind in which each call of a function is a {@link limitedCall}. */
export const limitedKind = (definition: AnyKindDefinition): AnyKindDefinition =>
  withCalls(definition, (_resource, call, called) => limitedCall(called, call));
