import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { ELSEWHERE_LABEL, PARENT_MARK } from '#lib/desired/marks/elsewhere.ts';
import { INTENT_MARK } from '#lib/desired/marks/marks.ts';
import { type Ownership, ownershipsOf } from '#lib/desired/marks/ownership.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { noteConditionOwners } from '#lib/loop/cache/projection/condition-owners.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { BudgetShare, Weighed } from './budget.ts';
import { cutBelow, sizeFits } from './size-of.ts';

/** The maximum size of the labels, and of the conditions, that a stub keeps, in bytes. No budget counts stubs. */
const STUB_PART_BYTES = 4096;
const STUB_ANNOTATION_BYTES = 1024;
const STUB_FINALIZERS = 32;
const STUB_OWNERS = 32;

const smallPart = <V>(value: V, otherwise: V, limit = STUB_PART_BYTES): V =>
  sizeFits(value, limit) ? value : otherwise;

interface Metadata extends Record<string, unknown> {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** The members with some names that an object has. */
const picked = (from: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));

const KEPT = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp'];

/**
 * The annotations by which the loop recognises a child: the hash of the intent, for a restored child, and the parent of a child
 * elsewhere.
 */
const marksIn = ({ annotations = {} }: Metadata): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(annotations).filter(
      ([name, value]) => (name === INTENT_MARK || name === PARENT_MARK) && value.length <= STUB_ANNOTATION_BYTES,
    ),
  );

const ownerLabel = ({ owner, label, marked }: Ownership): readonly (readonly [string, string])[] => {
  const name = marked ? ELSEWHERE_LABEL : label;
  return name === undefined ? [] : [[name, owner.uid]];
};

const stubMetadata = (metadata: Metadata): Metadata => {
  const ownerships = ownershipsOf({ metadata }).slice(0, STUB_OWNERS);
  const references = new Set(ownerships.flatMap(({ owner, marked }) => (marked ? [] : [owner])));
  return {
    ...picked(metadata, KEPT),
    labels: smallPart(metadata.labels ?? {}, Object.fromEntries(ownerships.flatMap(ownerLabel))),
    annotations: smallPart(metadata.annotations ?? {}, marksIn(metadata), STUB_ANNOTATION_BYTES),
    annotationManagers: {},
    ...(metadata.finalizers && { finalizers: metadata.finalizers.slice(-STUB_FINALIZERS) }),
    ...(references.size > 0 && { ownerReferences: [...references] }),
  };
};

const stubOf = (object: CachedObject): CachedObject => {
  const { apiVersion, kind, metadata, status } = object as CachedObject & {
    readonly status?: Readonly<Record<string, unknown>> | null;
  };
  const stub = {
    apiVersion,
    kind,
    metadata: stubMetadata(metadata as unknown as Metadata),
    ...(status !== undefined && { status: smallPart(picked(status ?? {}, ['observedGeneration', 'conditions']), {}) }),
  };
  // The copy has its own strings, because a substring would keep the whole original string in memory.
  return deepFreeze(structuredClone(stub)) as unknown as CachedObject;
};

/** Why the cache holds a stub of an object. */
export type Excess =
  | {
      /** The size of the object, in bytes, or its levels of objects and lists. */
      readonly by: 'limit' | 'levels';
      /** The limit that the object exceeds. */
      readonly limit: number;
    }
  | {
      readonly by: 'budget';
      /** Whether there is room for the object now. */
      readonly hasRoom: () => boolean;
    };

const excesses = new WeakMap<object, Excess>();

/**
 * The reason why the cache holds a stub of an object. A stub has the identity, the generation and the times of creation and
 * deletion of the object, its first 32 owners by `ownershipsOf`, and its last 32 finalizers. Labels, annotations and conditions
 * are kept if they are small. Otherwise, only labels and annotations that mark a child are kept.
 *
 * @returns undefined for a complete object
 */
export const excessOf = (object: object): Excess | undefined => excesses.get(object);

/** Takes room for an object in a budget. @returns undefined, or the excess when there is no room */
export const excessOfBudget = (budget: BudgetShare, object: Weighed): Excess | undefined =>
  budget.admits(object) ? undefined : { by: 'budget', hasRoom: () => budget.hasRoomFor(object) };

/**
 * A projection that keeps a stub of some objects.
 *
 * @param excessIn - returns the reason why a projected object is replaced by a stub; undefined for an object that is kept
 */
export const withStubs =
  (project: Projection, excessIn: (projected: CachedObject) => Excess | undefined): Projection =>
  (object: ApiObject) => {
    const projected = project(object);
    const excess = excessIn(projected);
    if (excess === undefined) return projected;
    const stub = stubOf(projected);
    noteConditionOwners(stub, object);
    excesses.set(stub, excess);
    return stub;
  };

/** The maximum number of levels of objects and lists in an object. The result of a function has at most 64 levels. */
export const MAX_LEVELS = 200;

/**
 * A projection that keeps a stub of an object with more than {@link MAX_LEVELS} levels of objects and lists. The API server
 * accepts 10,000 levels, but recursive functions would overflow the call stack. For example, `isDeepStrictEqual` of Node.js
 * compares at most about 900 levels.
 */
export const withLevelLimit = (project: Projection): Projection => {
  const stub = withStubs(
    (object) => object,
    () => ({ by: 'levels', limit: MAX_LEVELS }),
  );
  return (object) => (cutBelow(object, MAX_LEVELS) === object ? project(object) : stub(object));
};
