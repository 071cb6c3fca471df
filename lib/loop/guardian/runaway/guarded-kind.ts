import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { CALL_LIMIT_MS, hungError, isHung, isSuspect } from '#lib/desired/runaway/hung.ts';
import { runLimited } from '#lib/desired/runaway/run-limited.ts';
import { withCalls } from '#lib/desired/runaway/with-calls.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';

/** Reports calls of functions to the thread that watches them. Each method takes about 100 ns. */
export interface CallWatch {
  /** Reports the start of a call. @param kind - the position of the kind in `GuardianOptions.kinds` */
  enter(kind: number, key: Key): void;
  leave(): void;
}

/** Options of {@link guardedKind}. */
export interface GuardOptions {
  readonly watch: CallWatch;
  /** The position of the kind in `GuardianOptions.kinds`. */
  readonly kind: number;
  readonly timers: Pick<Timers, 'elapsed'>;
}

/**
 * The delay before a function that did not return is called again, in milliseconds; an edit of the spec ends the delay. Without
 * the delay, each pass would delay all other resources up to the time limit.
 */
const TRY_AGAIN_MS = 60_000;

interface Verdict {
  readonly generation: number;
  readonly atMs: number;
}

/**
 * Wraps the functions of a kind, so that a call that does not return cannot block the process for long.
 *
 * Flow: each call without a time limit is reported to the guardian. If such a call does not return, the guardian marks the
 * resource in its status and ends the process. The next process calls the function for a marked resource with a time limit. When
 * a call returns, the mark is removed.
 *
 * The guardian cannot mark a parent of an extension, so each call of an extension has a time limit. The limit costs about 0.1 ms.
 *
 * Guarantees: a call that does not return delays other resources by one restart, and by a second per later attempt. The wrapper
 * changes neither the arguments nor the results of the functions.
 */
export const guardedKind = (definition: AnyKindDefinition, options: GuardOptions): AnyKindDefinition => {
  const { watch, kind, timers } = options;
  const verdicts = new Map<Key, Verdict>();

  const limited = <R>(resource: AnyResource, key: Key, call: () => R): R => {
    const { generation } = resource.metadata;
    const verdict = verdicts.get(key);
    const isFresh = verdict !== undefined && timers.elapsed() - verdict.atMs < TRY_AGAIN_MS;
    if (isFresh && verdict.generation === generation) throw hungError();
    try {
      const result = runLimited(call, CALL_LIMIT_MS);
      verdicts.delete(key);
      return result;
    } catch (error) {
      if (isHung(error)) verdicts.set(key, { generation, atMs: timers.elapsed() });
      throw error;
    }
  };

  const guarded = <R>(resource: AnyResource, call: () => R): R => {
    const key = keyOf(resource.metadata.namespace, resource.metadata.name);
    // The status of a parent belongs to another controller, so it can have no mark.
    if (definition.extension !== undefined || isSuspect(resource.status)) return limited(resource, key, call);
    if (verdicts.size > 0) verdicts.delete(key);
    watch.enter(kind, key);
    try {
      return call();
    } finally {
      watch.leave();
    }
  };

  return withCalls(definition, guarded);
};
