import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Ownership, ownershipsOf } from '#lib/desired/marks/ownership.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { FieldTree, OwnedFields } from '#lib/plan/fields/pin.ts';
import { readFields } from './field-reader.ts';
import type { CachedObject, Projection } from './projection.ts';

/** A field manager. The cache keeps a fingerprint of the fields that this manager owns. */
export interface FieldOwner {
  readonly manager: string;
  /** True to include fields that the manager wrote without server-side apply, for example by POST. */
  readonly updates: boolean;
}

/** Returns the field manager of the fields in the fingerprint, for one owner of the object; `undefined` for no fingerprint. */
export type FieldOwnerOf = (object: ApiObject, ownership: Ownership) => FieldOwner | undefined;

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

/** The fields of a {@link FieldOwner}, without fields written through a subresource such as status; undefined without fields. */
const treeOf = ({ managedFields = [] }: Metadata, { manager, updates }: FieldOwner): FieldTree | undefined => {
  const trees = managedFields
    .filter((entry) => entry.manager === manager && (entry.operation === 'Apply' || updates) && !entry.subresource)
    .map(({ fieldsV1 = {} }) => fieldsV1);
  return trees.length > 1 ? trees.reduce(union) : trees[0];
};

/** The number of bytes of the hash. A JavaScript number holds 53 bits. */
const HASH_BYTES = 6;

const hashOf = (values: readonly string[]): number =>
  hash('sha1', values.join('\n'), 'buffer').readUIntBE(0, HASH_BYTES);

/** The owner reference is compared without `blockOwnerDeletion`, because the garbage collector may change this field. */
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
  for (const ownership of ownershipsOf({ metadata })) {
    const owner = ownerOf(object, ownership);
    const tree = owner && treeOf(metadata, owner);
    if (!tree) continue;
    const { set, values } = readFields(withoutBlocking(object, ownerReferences), tree, ownership.owner.uid);
    return { set, values: hashOf(values) };
  }
  return undefined;
};

/** All results of projections that {@link withFingerprint} made, with their owned fields, if any. */
const known = new WeakMap<object, OwnedFields | undefined>();

/**
 * The fields that the operator owned when the object was projected. The fields are stored separately from the object, so that
 * functions cannot read them.
 *
 * @param object - a result of a projection that {@link withFingerprint} made
 * @returns undefined if the operator owned no fields, or for an object that another projection made
 */
export const ownedFieldsOf = (object: CachedObject): OwnedFields | undefined => known.get(object);

/**
 * Returns a projection that also stores a fingerprint of the fields that the operator owns, before `managedFields` is dropped.
 * The projection returns its own results unchanged, because each object of a list is projected twice. The pages of the list are
 * projected on arrival, to free the memory of the complete objects. The cache then projects every object that it receives.
 *
 * @param ownerOf - called for each owner of an object, see `ownershipsOf`
 */
export const withFingerprint =
  (project: Projection, ownerOf: FieldOwnerOf): Projection =>
  (object) => {
    if (known.has(object)) return object;
    const projected = project(object);
    known.set(projected, fieldsOf(object, ownerOf));
    return projected;
  };

/** Owned fields are compared even if no kind reads them, because the next pass restores a changed field. */
const sameOwned = (a: CachedObject, b: CachedObject): boolean => {
  const [before, after] = [ownedFieldsOf(a), ownedFieldsOf(b)];
  return before?.set === after?.set && before?.values === after?.values;
};

/** Whether two states of an object are equal except for the resource version, including the owned fields. */
export const sameButVersion = (a: CachedObject, b: CachedObject): boolean =>
  sameOwned(a, b) &&
  isDeepStrictEqual(
    { ...a, metadata: { ...a.metadata, resourceVersion: '' } },
    { ...b, metadata: { ...b.metadata, resourceVersion: '' } },
  );
