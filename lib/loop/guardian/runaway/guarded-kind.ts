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
 * The delay before a function that did not return is called again, in milliseconds. Without the delay, each pass would delay all
 * other resources up to the time limit. The first edit of the spec within the delay ends it; later edits do not, because their
 * number has no limit.
 */
const TRY_AGAIN_MS = 60_000;

/** The last call for a resource that did not return. */
interface Hang {
  /** A new resource can have the name of a deleted one. */
  readonly uid: string;
  /** The generation that is not called within the delay; undefined for each generation, after a second such call. */
  readonly generation: number | undefined;
  readonly atMs: number;
}

/**
 * Wraps the functions of a kind, so that a call that does not return cannot block the process for long.
 *
 * Flow: each call without a time limit is reported to the guardian. If such a call does not return, the guardian marks the
 * resource in its status and ends the process. The next process calls the functions with a time limit for all resources in the
 * namespace of a marked resource. When a call returns, the mark is removed. The time limit stays until the process ends, so that
 * a user cannot end the process again by edits that alternate, or by another resource.
 *
 * The guardian cannot mark a parent of an extension, so each call of an extension has a time limit. The limit costs about 0.1 ms.
 *
 * Guarantees: a call that does not return delays other resources by one restart, and by a second per later attempt. A resource
 * has at most two such attempts in a minute. The wrapper changes neither the arguments nor the results of the functions. Its
 * memory holds the names of namespaces, and the calls that did not return within the last minute.
 */
export const guardedKind = (
  definition: AnyKindDefinition,
  { watch, kind, timers }: GuardOptions,
): AnyKindDefinition => {
  const suspectNamespaces = new Set<string>();
  const hangs = new Map<Key, Hang>();

  const limited = <R>({ uid, generation }: AnyResource['metadata'], key: Key, call: () => R): R => {
    const nowMs = timers.elapsed();
    for (const [old, { atMs }] of hangs) if (nowMs - atMs >= TRY_AGAIN_MS) hangs.delete(old);
    const last = hangs.get(key);
    if (last?.uid === uid && (last.generation ?? generation) === generation) throw hungError();
    try {
      return runLimited(call, CALL_LIMIT_MS);
    } catch (error) {
      if (isHung(error)) hangs.set(key, { uid, generation: last ? undefined : generation, atMs: nowMs });
      throw error;
    }
  };

  const guarded = <R>({ metadata, status }: AnyResource, call: () => R): R => {
    const { namespace, name } = metadata;
    const key = keyOf(namespace, name);
    if (isSuspect(status)) suspectNamespaces.add(namespace);
    // The status of a parent belongs to another controller, so it can have no mark.
    if (definition.extension !== undefined || suspectNamespaces.has(namespace)) return limited(metadata, key, call);
    watch.enter(kind, key);
    try {
      return call();
    } finally {
      watch.leave();
    }
  };

  return withCalls(definition, guarded);
};
