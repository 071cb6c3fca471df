import type { ManagedFieldsEntry, ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import type { JsonObject } from '#lib/json.ts';
import { difference, emptySet, equalSets, setOfPaths, union } from './fields/field-set.ts';
import { compareAges, type Managers, newOwner, type Owner, withSet } from './managers.ts';
import { atomOf } from './typed/topology.ts';
import { update, type Versions } from './updater.ts';

/** The input for tracking the field owners of a write. */
export interface FieldManagerWrite {
  /** The stored object; `undefined` for a creation. */
  readonly live: ServerObject | undefined;
  /** The name of the field manager; '' stands for `unknown`. */
  readonly manager: string;
  /** The apiVersion of the request, such as `apps/v1`. */
  readonly apiVersion: string;
  /** The subresource that is written, such as `status`; '' for the object itself. The name appears in the entry of the writer. */
  readonly subresource: string;
  /** The schema of the whole object. Its part for metadata is ignored, because all kinds have the same metadata. */
  readonly schema: StructuralSchema;
  /** Paths that a writer of this subresource does not own. */
  readonly resetFields: readonly (readonly string[])[];
  /** The current time, in the format RFC 3339 with whole seconds, in UTC. */
  readonly now: string;
  /**
   * An empty object of a built-in kind as the real server decodes it, with the members that Go always writes: for example
   * `{"metadata":{},"spec":{"containers":null},"status":{}}`. A manager that writes only these members does not own them.
   *
   * @default {} - for custom resources
   */
  readonly empty?: JsonObject;
  /**
   * Schemas of the kind's other versions, by `apiVersion`. Versions differ only in schema and name.
   *
   * @default none
   */
  readonly otherVersions?: Readonly<Record<string, StructuralSchema>>;
}

const resets = new WeakMap<readonly (readonly string[])[], ReturnType<typeof setOfPaths>>();

const resetSet = (paths: readonly (readonly string[])[]): ReturnType<typeof setOfPaths> => {
  const known = resets.get(paths) ?? setOfPaths(paths);
  resets.set(paths, known);
  return known;
};

/** Returns the types and the reset fields of each version in which a manager can own fields of the object. */
export const fieldVersions = ({
  apiVersion,
  schema,
  otherVersions,
  resetFields,
  subresource,
}: FieldManagerWrite): Versions => ({
  apiVersion,
  // For a write of a subresource, `resetFields` applies to all versions, as on the real server for custom resources. For a write
  // of the object itself, it applies only to the version of the request.
  resetFieldsOf: (version) => (version === apiVersion || subresource !== '' ? resetSet(resetFields) : emptySet),
  atomOf: (version) => {
    if (version === apiVersion) return atomOf(schema);
    const other = otherVersions?.[version];
    return other && atomOf(other);
  },
});

const unowned = setOfPaths([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
]);

/**
 * Removes fields that never have an owner, such as `apiVersion`, from the field set of a manager.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/stripmeta.go
 */
export const stripOwner = (owner: Owner): Owner => withSet(owner, difference(owner.set, unowned));

const maxUpdaters = 10;
const ancientManager = 'ancient-changes';

/**
 * If more than ten managers have the operation Update, merges the oldest managers into one entry for each version.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/capmanagers.go
 */
const capManagers = (managers: Managers): Managers => {
  const updaters = [...managers.values()].filter(({ operation }) => operation === 'Update').toSorted(compareAges);
  if (updaters.length <= maxUpdaters) return managers;
  const capped = new Map(managers);
  const first = new Map<string, Owner>();
  let count = updaters.length;
  for (const owner of updaters) {
    if (count <= maxUpdaters) break;
    const { apiVersion, time } = owner;
    const oldest = first.get(apiVersion);
    if (oldest === undefined) {
      first.set(apiVersion, owner);
      continue;
    }
    const bucket = newOwner({ manager: ancientManager, operation: 'Update', apiVersion, subresource: '' });
    const before = capped.get(bucket.id);
    if (before === undefined) capped.delete(oldest.id);
    capped.set(bucket.id, withSet(bucket, union(owner.set, (before ?? oldest).set), time));
    capped.delete(owner.id);
    count--;
  }
  return capped;
};

/** The input of {@link updateManagers}: the object before and after an update, and its managers before the update. */
export interface ManagedUpdate {
  readonly live: unknown;
  readonly next: unknown;
  readonly managers: Managers;
  readonly writer: Owner;
  readonly now: string;
}

/**
 * Computes the managers after an update. The writer becomes the owner of the fields that it changed, and keeps its other fields
 * that still exist.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/managedfieldsupdater.go
 */
export const updateManagers = ({ live, next, managers, writer, now }: ManagedUpdate, versions: Versions): Managers => {
  const updated = update({ live, next, managers }, versions);
  const changed = stripOwner(withSet(writer, updated.changed));
  if (changed.set.length > 0) {
    const before = updated.managers.get(writer.id);
    const set = before === undefined ? changed.set : union(changed.set, before.set);
    const last = managers.get(writer.id) ?? changed;
    updated.managers.set(writer.id, withSet(last, equalSets(set, last.set) ? last.set : set, now));
  }
  return capManagers(updated.managers);
};

/** Sets or removes the managed fields of an object. Returns the given object if nothing changes. */
export const withManagedFields = (
  object: JsonObject,
  entries: readonly ManagedFieldsEntry[] | undefined,
): ServerObject => {
  const { managedFields: before, ...metadata } = metadataOf(object);
  if (before === entries) return object as ServerObject;
  return {
    ...object,
    metadata: { ...metadata, ...(entries && { managedFields: entries }) },
  } as unknown as ServerObject;
};

/** Returns the metadata of an object; an empty object when absent. */
export const metadataOf = (object: JsonObject): JsonObject & { readonly managedFields?: unknown } =>
  (object['metadata'] ?? {}) as JsonObject;
