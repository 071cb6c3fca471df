import { url as debuggerUrl } from 'node:inspector';
import process from 'node:process';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { authorFunctionOf } from './author-function.ts';
import { functionPlace } from './function-place.ts';
import { CALL_LIMIT_MS, hungOnceError, isHung } from './hung.ts';
import { runLimited } from './run-limited.ts';
import { type KindFunction, withCalls } from './with-calls.ts';

/**
 * The maximum number of attempts of a call that gets too little CPU time. The limit is needed because a call that only sleeps
 * uses no CPU time.
 */
const ATTEMPTS = 4;

/** An attempt shows that the function does not return only if the process got at least this share of a CPU during the attempt. */
const BUSY_SHARE = 1 / 4;

const busyMsSince = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

/** The error of an interrupted call in a tool. Its stack is the position of the function, if found. */
export const hungIn = (called: KindFunction): Error => {
  const error = hungOnceError();
  const place = functionPlace(called);
  if (place?.line !== undefined)
    error.stack = `${error.name}: ${error.message}\n    at ${authorFunctionOf(called).name} (${place.path}:${place.line}:1)`;
  return error;
};

/**
 * Calls a function of a kind, and interrupts it when it does not return within its limit. This function is for programs without a
 * guardian. The limit adds about 120 µs to a call.
 *
 * A slow machine rarely causes an error. If the process got less than a quarter of a CPU during the call, the pure function is
 * called again. There are at most four calls. There is no limit while a debugger listens, so that an author can stop in the
 * function.
 *
 * @param called - the function, for the position in the error
 * @param limitMs - milliseconds, an integer >= 1
 * @throws {ReconcileError} with the code `DesiredHung` when the call was interrupted; its stack is the position of the function,
 *   if found. Also the errors of the function
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
