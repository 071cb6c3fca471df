import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { CALL_LIMIT_MS, hungError, isHung, isSuspect } from '#lib/desired/runaway/hung.ts';
import { runLimited } from '#lib/desired/runaway/run-limited.ts';
import { withCalls } from '#lib/desired/runaway/with-calls.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';

/** Reports calls to another thread, which watches over them. Both methods cost some 100 ns. */
export interface CallWatch {
  /** A call begins, for a resource of the kind with this number. */
  enter(kind: number, key: Key): void;
  /** It has ended. */
  leave(): void;
}

/** How a kind is guarded. */
export interface GuardOptions {
  readonly watch: CallWatch;
  /** Which of the kinds of this process it is. */
  readonly kind: number;
  readonly timers: Pick<Timers, 'elapsed'>;
}

/** Milliseconds before a call that hung is tried again, unless the spec is edited: it delays all other resources for its limit. */
const TRY_AGAIN_MS = 60_000;

interface Verdict {
  readonly generation: number;
  readonly atMs: number;
}

/**
 * A kind whose functions cannot hold up the process for long.
 *
 * Flow: a call is announced to the watch → a hanging one is marked in the status by the other thread, which ends the process →
 * the next process calls the function for a marked resource with a time limit → the mark goes when it returns.
 *
 * A call of an extension always has a time limit, which costs about 0.1 ms.
 *
 * Guarantees: neighbours are held up for a second per attempt, and once for the restart. What is called, and with what, is the same.
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
