import type { ManagedFieldsEntry } from '#lib/apiserver/machinery/object.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { difference, type FieldSet, intersection, setOfPaths } from './fields/field-set.ts';
import { decodeManagers, encodeManagers, newOwner, type Owner, withSet } from './managers.ts';

const scaleVersion = 'autoscaling/v1';
/** The schema of `Scale`, for tracking its managers. */
export const scaleSchema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { replicas: { type: 'integer', format: 'int32' } } },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer', format: 'int32' }, selector: { type: 'string' } },
    },
  },
};

const scaleReplicas = setOfPaths([['spec', 'replicas']]);

/** The path of the replicas in each version of a kind, by `apiVersion`; undefined for a version without a scale subresource. */
export type ReplicasPaths = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Returns the owner with another version. With the operation Update, the identifier also changes, because the identifier
 * contains the version.
 */
const inVersion = (
  { manager, operation, subresource }: Owner,
  { apiVersion, set, time }: Pick<Owner, 'apiVersion' | 'set' | 'time'>,
): Owner => withSet(newOwner({ manager, operation, apiVersion, subresource }), set, time);

const owns = ({ set }: Owner, field: FieldSet): boolean => intersection(set, field).length > 0;

/**
 * Returns the managed fields of a `Scale` that is made from an object: the managers that own the replicas of the object.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/scalehandler.go (`ToSubresource`)
 */
export const toScaleManagers = (
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): readonly ManagedFieldsEntry[] | undefined => {
  const owners = new Map<string, Owner>();
  for (const owner of decodeManagers(parent)?.values() ?? []) {
    const path = paths[owner.apiVersion];
    if (path !== undefined && owns(owner, setOfPaths([path]))) {
      owners.set(owner.id, inVersion(owner, { apiVersion: scaleVersion, set: scaleReplicas, time: owner.time }));
    }
  }
  return encodeManagers(owners, undefined);
};

/** The managed fields of a written `Scale`, and of the scaled object. */
export interface ScaledManagers {
  readonly parent: readonly ManagedFieldsEntry[] | undefined;
  readonly scale: readonly ManagedFieldsEntry[] | undefined;
  /** The version of the scaled object in the request. */
  readonly apiVersion: string;
  readonly paths: ReplicasPaths;
}

/**
 * Returns the managed fields of an object after its `Scale` was written.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/scalehandler.go (`ToParent`)
 */
export const toParentManagers = ({
  parent,
  scale,
  apiVersion,
  paths,
}: ScaledManagers): readonly ManagedFieldsEntry[] | undefined => {
  const parentOwners = decodeManagers(parent) ?? new Map<string, Owner>();
  // With the operation Update, the identifier of a manager contains the version. For this reason, no such manager of the `Scale`
  // has the identifier of a manager of the scaled object.
  const scaleOwners = new Map(decodeManagers(scale) ?? []);
  const owners = new Map<string, Owner>();
  for (const owner of parentOwners.values()) {
    if (!Object.hasOwn(paths, owner.apiVersion)) continue;
    const path = paths[owner.apiVersion];
    const replicas = path && setOfPaths([path]);
    if (replicas === undefined || !owns(owner, replicas)) owners.set(owner.id, owner);
    else if (scaleOwners.delete(owner.id)) owners.set(owner.id, owner);
    else {
      const left = withSet(owner, difference(owner.set, replicas));
      if (left.set.length > 0) owners.set(left.id, left);
    }
  }
  const path = paths[apiVersion];
  for (const owner of scaleOwners.values()) {
    if (path === undefined || !owns(owner, scaleReplicas)) continue;
    const time = parentOwners.get(owner.id)?.time;
    owners.set(owner.id, inVersion(owner, { apiVersion, set: setOfPaths([path]), time }));
  }
  return encodeManagers(owners, parent);
};
