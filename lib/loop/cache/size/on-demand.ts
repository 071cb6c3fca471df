import { DIGEST_ANNOTATION, digestOf } from '#lib/desired/canonical/digest.ts';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import { sizeOf } from './size-of.ts';

/**
 * The maximum size of the member `KindRef.onDemand` that the cache keeps, in bytes. The data of most ControllerRevisions are
 * smaller, and need no live get.
 */
const KEPT_BYTES = 4096;
/** The maximum bytes of recent live gets to keep. A rollout reads the same members in each pass. */
const RECENT_BYTES = 4_194_304;

type Members = Readonly<Record<string, unknown>>;

/** The name of the omitted member, by cached object. */
const lacks = new WeakMap<object, string>();

/** The error when a function reads a member that the cache does not hold, see `KindRef.onDemand`. */
export class DemandedError extends Error {
  readonly object: Readonly<KubeObject>;

  constructor(object: Readonly<KubeObject>, member: string) {
    super(`${member} of ${object.kind} "${object.metadata?.name}" is read on demand`);
    this.object = object;
  }
}

/** The error when a function looks up an object of which the cache holds a stub. */
export class StubDemandedError extends DemandedError {
  readonly kind: KindRef;
  declare readonly object: CachedObject;

  constructor(kind: KindRef, object: CachedObject) {
    super(object, 'the rest');
    this.kind = kind;
  }
}

const withoutDigest = <O extends Pick<ApiObject, 'metadata'>>(object: O): O => {
  const { metadata } = object as { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };
  if (metadata.annotations?.[DIGEST_ANNOTATION] === undefined) return object;
  const { [DIGEST_ANNOTATION]: _, ...annotations } = metadata.annotations;
  return { ...object, metadata: { ...metadata, annotations } };
};

/**
 * A projection that replaces a member of more than 4,096 bytes by its digest, in the annotation {@link DIGEST_ANNOTATION}.
 *
 * @param member - such as `data`
 */
export const withOnDemand =
  (project: Projection, member: string): Projection =>
  (object) => {
    // Any client can set this annotation on the API server, and `keptDigestOf` trusts the annotation. So the projection removes
    // the annotation of an object from the API server.
    const projected = project(withoutDigest(object));
    const { [member]: value, ...rest } = projected as unknown as Members;
    if (sizeOf(value, KEPT_BYTES) <= KEPT_BYTES) return projected;
    const annotations = { ...projected.metadata.annotations, [DIGEST_ANNOTATION]: digestOf(value) };
    const stub = { ...rest, metadata: { ...projected.metadata, annotations } } as unknown as CachedObject;
    lacks.set(stub, member);
    return deepFreeze(stub);
  };

interface Read {
  /** The cached object, which lacks the member. */
  readonly from: object;
  readonly whole: Readonly<KubeObject>;
  readonly bytes: number;
}

/** The last live gets, by the cached object that lacks the member; the one that was used last is at the end. */
const recent = new Map<object, Read>();

/** The live get of each complete object. */
const reads = new WeakMap<object, Read>();

/** Returns the size of an object if its omitted member was added; 0 for all other objects. */
export const suppliedBytes = (object: object): number => reads.get(object)?.bytes ?? 0;

/** Drops the kept result of a live get, so that later passes read the member again if they need it. */
export const forgetSupplied = (object: object): void => {
  const read = reads.get(object);
  if (read) recent.delete(read.from);
};

/** Returns the object with its omitted member if the member was read recently; otherwise the object itself. */
export const suppliedOf = <O extends Readonly<KubeObject>>(object: O): O => {
  const read = lacks.has(object) ? recent.get(object) : undefined;
  if (read === undefined) return object;
  recent.delete(object);
  recent.set(object, read);
  return read.whole as O;
};

const keepRecent = (read: Read): void => {
  recent.set(read.from, read);
  let bytes = 0;
  for (const [key, each] of [...recent].toReversed()) {
    bytes += each.bytes;
    if (bytes > RECENT_BYTES && key !== read.from) recent.delete(key);
  }
};

/**
 * Adds the omitted member to an object, from a live get.
 *
 * @returns undefined when the live object has another uid, or the digest of its member differs
 */
export const supplied = (object: Readonly<KubeObject>, live: ApiObject): Readonly<KubeObject> | undefined => {
  const member = lacks.get(object) ?? '';
  const value = (live as unknown as Members)[member];
  const digest = object.metadata?.annotations?.[DIGEST_ANNOTATION];
  if (live.metadata.uid !== object.metadata?.uid || digestOf(value) !== digest) return undefined;
  const whole = deepFreeze({ ...withoutDigest(object as CachedObject), [member]: value });
  const read = { from: object, whole, bytes: sizeOf(whole, RECENT_BYTES) };
  reads.set(whole, read);
  keepRecent(read);
  return whole;
};

/** Returns the object for a function. A read of an omitted member calls `onDemand` and throws the {@link DemandedError}. */
export const demanding = (
  object: Readonly<KubeObject>,
  onDemand: (error: DemandedError) => void,
): Readonly<KubeObject> => {
  const member = lacks.get(object);
  if (member === undefined) return object;
  const get = (): never => {
    const error = new DemandedError(object, member);
    onDemand(error);
    throw error;
  };
  return Object.freeze(Object.defineProperty({ ...object }, member, { enumerable: true, get }));
};
