import { instantOf } from '#lib/desired/clock.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { Holds } from '#lib/loop/pass/holds.ts';
import type { Lookups } from '#lib/loop/related/lookups.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { EventSink } from './events/event.ts';
import type { Key } from './key.ts';
import type { ControllerMetrics } from './metrics.ts';

/** A child that was written without an answer: what became of it has to be looked up. */
export interface Doubt {
  readonly kind: KindRef;
  readonly name: string;
}

/** What the loop remembers of one resource between passes; lost at a restart without harm. */
export interface Memory {
  /** Of which resource: a later one of the same name inherits nothing. */
  readonly uid: string;
  readonly refused: readonly Refusal[];
  readonly holds: Holds;
  readonly doubts: readonly Doubt[];
  /** When its status was last written, in epoch milliseconds. */
  readonly statusWrittenAt: number;
  /** The version of the resource under which children were last created. */
  readonly createdUnder?: string;
}

/** A function of a kind, or a pass of the loop, that failed for one resource. */
export interface Failure {
  /** What failed: `desired() of Runner`, or `a pass of Runner`, which is a bug of the loop. */
  readonly what: string;
  readonly key: Key;
  readonly error: unknown;
}

/** What every pass of one kind works with. */
export interface Context {
  readonly definition: AnyKindDefinition;
  /** The handle of the kind itself. */
  readonly kind: KindRef;
  readonly api: KubeApi;
  /** Epoch milliseconds; never steps back. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** Tells people what happened; never blocks. */
  readonly events: EventSink;
  readonly onFailure?: (failure: Failure) => void;
  /** One stable name per kind, on every write. */
  readonly fieldManager: string;
  readonly resources: ObjectCache;
  /** The cache of each kind in `owns`. */
  readonly children: ReadonlyMap<KindRef, ObjectCache>;
  /** The cache of each kind in `reads`. */
  readonly related: ReadonlyMap<KindRef, ObjectCache>;
  /** What the last pass over each resource looked up. */
  readonly lookups: Lookups;
  readonly memory: Map<Key, Memory>;
  /** Aborts when no further write should begin. */
  readonly stopping: AbortSignal;
}

/** The cache of an owned kind. */
export const cacheOf = ({ children }: Context, kind: KindRef): ObjectCache => {
  const cache = children.get(kind);
  if (!cache) throw new InvariantError(`No cache for kind "${kind.kind}", which is owned`);
  return cache;
};

const blank = { refused: [], holds: new Map(), doubts: [], statusWrittenAt: -Infinity };

/** What is remembered of a resource. */
export const memoryOf = ({ memory }: Context, key: Key, uid: string): Memory => {
  const remembered = memory.get(key);
  return remembered?.uid === uid ? remembered : { ...blank, uid };
};

/** Replaces parts of what is remembered of a resource. */
export const remember = (context: Context, { key, uid }: { key: Key; uid: string }, part: Partial<Memory>): void => {
  context.memory.set(key, { ...memoryOf(context, key, uid), ...part });
};

/** Forgets all that is remembered of a resource that is gone. */
export const forget = ({ memory, lookups }: Context, key: Key): void => {
  memory.delete(key);
  lookups.forget(key);
};

const MICROS_PER_MILLI = 1000;

const isoOf = (epochMs: number): string => instantOf(Math.round(epochMs * MICROS_PER_MILLI));

/** What is remembered, by key, as JSON: moments as times of day, handles as the names of their kinds. */
export const inspectMemory = ({ memory }: Context): Readonly<Record<string, unknown>> => {
  const entries = [...memory].map(([key, { uid, refused, holds, doubts, statusWrittenAt, createdUnder }]) => {
    const held = [...holds].map(([scope, hold]) => [scope, { ...hold, notBefore: isoOf(hold.notBefore) }]);
    const state = {
      uid,
      refused,
      holds: Object.fromEntries(held) as unknown,
      doubts: doubts.map(({ kind, name }) => `${kind.kind} ${name}`),
      ...(createdUnder !== undefined && { createdUnder: `${uid}@${createdUnder}` }),
      ...(Number.isFinite(statusWrittenAt) && { statusWrittenAt: isoOf(statusWrittenAt) }),
    };
    return [key, state] as const;
  });
  return Object.fromEntries(entries);
};
