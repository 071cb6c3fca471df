import { hash } from 'node:crypto';
import type { OwnerReference } from '#lib/kind/reference.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import type { FieldTree, OwnedFields } from '#lib/plan/pin.ts';
import { readFields } from './field-reader.ts';
import type { CachedObject, Projection } from './projection.ts';

/** Whose fields count. */
export interface FieldOwner {
  readonly manager: string;
  /** True when what it wrote by POST counts as well as what it applied. */
  readonly updates: boolean;
}

/** Tells whose fields of an object count, by its controller; `undefined` when nobody's do. */
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

/** All that an owner owns; what was written through a subresource, such as status, is not part of any intent. */
const treeOf = ({ managedFields = [] }: Metadata, { manager, updates }: FieldOwner): FieldTree | undefined => {
  const trees = managedFields
    .filter((entry) => entry.manager === manager && (entry.operation === 'Apply' || updates) && !entry.subresource)
    .map(({ fieldsV1 = {} }) => fieldsV1);
  return trees.length > 1 ? trees.reduce(union) : trees[0];
};

/** So many bytes of the hash are kept: a number holds 53 bits. */
const HASH_BYTES = 6;

const hashOf = (values: readonly string[]): number =>
  hash('sha1', values.join('\n'), 'buffer').readUIntBE(0, HASH_BYTES);

const fieldsOf = (object: ApiObject, ownerOf: FieldOwnerOf): OwnedFields | undefined => {
  const metadata: Metadata = object.metadata;
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const owner = controller && ownerOf(object, controller);
  const tree = owner && treeOf(metadata, owner);
  if (!tree) return undefined;
  const { set, values } = readFields(object, tree, controller.uid);
  return { set, values: hashOf(values) };
};

const known = new WeakMap<CachedObject, OwnedFields>();

/**
 * What was owned of an object when it was projected; kept beside the object, where no function can see it.
 *
 * @param object - as it came out of a projection that {@link withFingerprint} made
 */
export const ownedFieldsOf = (object: CachedObject): OwnedFields | undefined => known.get(object);

/**
 * A projection that also remembers a fingerprint of the fields that we own, before the list of who owns what is dropped.
 *
 * @param ownerOf - asked for every object that has a controller
 */
export const withFingerprint =
  (project: Projection, ownerOf: FieldOwnerOf): Projection =>
  (object) => {
    const projected = project(object);
    const isNew = (projected as unknown) !== object;
    const owned = isNew ? fieldsOf(object, ownerOf) : undefined;
    if (owned) known.set(projected, owned);
    return projected;
  };
