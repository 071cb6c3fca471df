import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { ObjectCache } from './cache.ts';
import type { Key } from './key.ts';

/** What the loop remembers of one resource between passes; lost at a restart without harm. */
export interface Memory {
  readonly refused: readonly Refusal[];
  /** When its status was last written, in epoch milliseconds. */
  readonly statusWrittenAt?: number;
}

/** What every pass of one kind works with. */
export interface Context {
  readonly definition: AnyKindDefinition;
  /** The handle of the kind itself. */
  readonly kind: KindRef;
  readonly api: KubeApi;
  /** Epoch milliseconds; never steps back. */
  readonly now: () => number;
  readonly log: Logger;
  /** One stable name per kind, on every write. */
  readonly fieldManager: string;
  readonly resources: ObjectCache;
  /** The cache of each kind in `owns`. */
  readonly children: ReadonlyMap<KindRef, ObjectCache>;
  readonly memory: Map<Key, Memory>;
}

/** The cache of an owned kind. */
export const cacheOf = ({ children }: Context, kind: KindRef): ObjectCache => {
  const cache = children.get(kind);
  if (!cache) throw new TypeError(`Kind "${kind.kind}" is not in owns: add it to the definition`);
  return cache;
};
