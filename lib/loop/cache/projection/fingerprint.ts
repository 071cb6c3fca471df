import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { FieldTree, OwnedFields } from '#lib/plan/fields/pin.ts';
import { readFields } from './field-reader.ts';
import type { CachedObject, Projection } from './projection.ts';

/** An owner whose fields matter. */
export interface FieldOwner {
  readonly manager: string;
  /** True when fields that it wrote by POST matter as well as applied fields. */
  readonly updates: boolean;
}

/** The owner whose fields of an object matter, by its controller; `undefined` when no fields matter. */
export type FieldOwnerOf = (object: ApiObject, controller: OwnerReference) => FieldOwner | undefined;

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: FieldTree;
}

type Metadata = ApiObject['metadata'] & {
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
};

const union = (a: FieldTree, b: FieldTree): FieldTree => {
  const steps = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  return Object.fromEntries(steps.map((step) => [step, union(a[step] ?? {}, b[step] ?? {})]));
};

/**
 * All fields of an owner, except those that were written through a subresource, such as status, because no intent contains
 * them.
 */
const treeOf = ({ managedFields = [] }: Metadata, { manager, updates }: FieldOwner): FieldTree | undefined => {
  const trees = managedFields
    .filter((entry) => entry.manager === manager && (entry.operation === 'Apply' || updates) && !entry.subresource)
    .map(({ fieldsV1 = {} }) => fieldsV1);
  return trees.length > 1 ? trees.reduce(union) : trees[0];
};

/** The number of bytes of the hash: a number has 53 bits. */
const HASH_BYTES = 6;

const hashOf = (values: readonly string[]): number =>
  hash('sha1', values.join('\n'), 'buffer').readUIntBE(0, HASH_BYTES);

/**
 * The owner reference is compared without `blockOwnerDeletion`: children with it and without it are equal, and the garbage
 * collector may change it.
 */
const withoutBlocking = (object: ApiObject, references: readonly OwnerReference[]): ApiObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: references.map(({ blockOwnerDeletion: _blocks, ...identity }) => identity),
  } as ApiObject['metadata'],
});

const fieldsOf = (object: ApiObject, ownerOf: FieldOwnerOf): OwnedFields | undefined => {
  const metadata: Metadata = object.metadata;
  const { ownerReferences = [] } = metadata;
  const controller = ownerReferences.find((owner) => owner.controller === true);
  const owner = controller && ownerOf(object, controller);
  const tree = owner && treeOf(metadata, owner);
  if (!tree) return undefined;
  const { set, values } = readFields(withoutBlocking(object, ownerReferences), tree, controller.uid);
  return { set, values: hashOf(values) };
};

/** Every object that came out of a projection, with its owned fields if there are some. */
const known = new WeakMap<object, OwnedFields | undefined>();

/**
 * The owned fields of an object at its projection; stored beside the object, where functions cannot read them.
 *
 * @param object - as it came out of a projection that {@link withFingerprint} made
 */
export const ownedFieldsOf = (object: CachedObject): OwnedFields | undefined => known.get(object);

/**
 * A projection that also stores a fingerprint of the fields that we own, before `managedFields` is dropped. It returns its
 * results unchanged: objects are projected as they arrive, page by page, so that a complete list is never in memory, and the cache
 * projects all that it gets.
 *
 * @param ownerOf - called for every object that has a controller
 */
export const withFingerprint =
  (project: Projection, ownerOf: FieldOwnerOf): Projection =>
  (object) => {
    if (known.has(object)) return object;
    const projected = project(object);
    known.set(projected, fieldsOf(object, ownerOf));
    return projected;
  };

/** Owned fields count even where no kind reads them: the next pass restores them. */
const sameOwned = (a: CachedObject, b: CachedObject): boolean => {
  const [before, after] = [ownedFieldsOf(a), ownedFieldsOf(b)];
  return before?.set === after?.set && before?.values === after?.values;
};

/** True when two states of an object differ in their resource version at most. */
export const sameButVersion = (a: CachedObject, b: CachedObject): boolean =>
  sameOwned(a, b) &&
  isDeepStrictEqual(
    { ...a, metadata: { ...a.metadata, resourceVersion: '' } },
    { ...b, metadata: { ...b.metadata, resourceVersion: '' } },
  );
