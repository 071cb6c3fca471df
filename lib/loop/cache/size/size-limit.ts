import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { noteConditionOwners } from '#lib/loop/cache/projection/condition-owners.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { BudgetShare, Weighed } from './budget.ts';

/** The cost of every value besides its text: V8 takes about as much for an element or a member, however short its JSON is. */
const VALUE_BYTES = 16;
/** The most that a stub keeps of labels, or of conditions. */
const STUB_PART_BYTES = 16_384;
/** The most finalizers that a stub keeps. */
const STUB_FINALIZERS = 32;

const ownSize = (value: unknown): number => VALUE_BYTES + (typeof value === 'string' ? Buffer.byteLength(value) : 0);

/**
 * How much memory a value takes, roughly: the UTF-8 bytes of its texts and of the names of its members, and 16 for each value.
 *
 * @param limit - to count further is of no use; the result may be less than the whole when it is above this
 */
export const sizeOf = (value: unknown, limit: number): number => {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && bytes <= limit) {
    const next = open.pop();
    bytes += ownSize(next);
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, member] of Object.entries(next)) {
      if (!Array.isArray(next)) bytes += Buffer.byteLength(name);
      open.push(member);
    }
  }
  return bytes;
};

const fits = (value: unknown, limit: number): boolean => sizeOf(value, limit) <= limit;

const smallPart = <V>(value: V, otherwise: V): V => (fits(value, STUB_PART_BYTES) ? value : otherwise);

interface Metadata extends Record<string, unknown> {
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

const KEPT = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp'];

const stubMetadata = (metadata: Metadata): Metadata => {
  const kept = Object.fromEntries(KEPT.flatMap((name) => (name in metadata ? [[name, metadata[name]]] : [])));
  const controllers = (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true);
  return {
    ...kept,
    labels: smallPart(metadata.labels ?? {}, {}),
    annotations: {},
    annotationManagers: {},
    ...(metadata.finalizers && { finalizers: metadata.finalizers.slice(-STUB_FINALIZERS) }),
    ...(controllers.length > 0 && { ownerReferences: controllers }),
  };
};

const stubStatus = (status: unknown): object => {
  const { observedGeneration, conditions } = (status ?? {}) as Record<string, unknown>;
  const kept = {
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(conditions !== undefined && { conditions }),
  };
  return smallPart<object>(kept, {});
};

const stubOf = (object: CachedObject): CachedObject => {
  const { apiVersion, kind, metadata, status } = object as CachedObject & { readonly status?: unknown };
  const stub = {
    apiVersion,
    kind,
    metadata: stubMetadata(metadata as unknown as Metadata),
    ...(status !== undefined && { status: stubStatus(status) }),
  };
  // A text that was cut out of a longer one keeps all of that alive.
  return deepFreeze(structuredClone(stub)) as unknown as CachedObject;
};

/** The size beyond which nothing is kept that can be computed again, in bytes. */
const LARGE_BYTES = 16_384;

const large = new WeakSet<object>();

/** Whether a resource takes so much memory that what was computed from it is not kept besides. */
export const isLarge = (resource: object): boolean => large.has(resource);

/** Why the cache holds a stub of a resource. */
export type Excess =
  | {
      readonly by: 'limit';
      /** In bytes. */
      readonly limit: number;
    }
  | {
      readonly by: 'budget';
      /** Whether there is room for it by now. */
      readonly hasRoom: () => boolean;
    };

const excesses = new WeakMap<object, Excess>();

/**
 * Why the cache holds a stub of a resource: names, versions, finalizers, its controller and its conditions.
 *
 * @returns undefined for an object that is held whole
 */
export const excessOf = (object: object): Excess | undefined => excesses.get(object);

/** How large resources may be. */
export interface SizeLimits {
  /** One of them, as {@link sizeOf} counts, without the status. */
  readonly maxBytes: number;
  /** All of them. */
  readonly budget: BudgetShare;
}

/** A status is written by the loop, which bounds it; it must not stall the resource that it is about. */
const bytesOf = (projected: CachedObject, limit: number): number => sizeOf({ ...projected, status: undefined }, limit);

const weighed = ({ metadata: { uid, namespace = '' } }: CachedObject, bytes: number): Weighed => ({
  uid,
  namespace,
  bytes,
});

const excessIn = (projected: CachedObject, bytes: number, { maxBytes, budget }: SizeLimits): Excess | undefined => {
  const { uid } = projected.metadata;
  if (bytes > maxBytes) {
    budget.release(uid);
    return { by: 'limit', limit: maxBytes };
  }
  const resource = weighed(projected, bytes);
  return budget.admits(resource) ? undefined : { by: 'budget', hasRoom: () => budget.hasRoomFor(resource) };
};

/** A projection that keeps a stub of each object that is larger than a limit, or for which there is no room. */
export const withSizeLimit =
  (project: Projection, limits: SizeLimits): Projection =>
  (object: ApiObject) => {
    if (excesses.has(object)) return object;
    const projected = project(object);
    if ((projected as unknown) === object) return projected;
    const bytes = bytesOf(projected, limits.maxBytes);
    const excess = excessIn(projected, bytes, limits);
    if (excess === undefined) {
      if (bytes > LARGE_BYTES) large.add(projected);
      return projected;
    }
    const stub = stubOf(projected);
    noteConditionOwners(stub, object);
    excesses.set(stub, excess);
    return stub;
  };
