import type { JsonObject } from '#lib/json.ts';
import type { ManagedFieldsEntry, ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';
import { difference, emptySet, equalSets, setOfPaths, union } from './field-set.ts';
import { compareAges, type Managers, newOwner, type Owner, withSet } from './managers.ts';
import { atomOf } from './topology.ts';
import { update, type Versions } from './updater.ts';

/** What every write tells the field manager. */
export interface FieldManagerWrite {
  /** The stored object; none for a create. */
  readonly live: ServerObject | undefined;
  /** The field manager; '' is `unknown`. */
  readonly manager: string;
  /** The version in which the request is made, such as `apps/v1`. */
  readonly apiVersion: string;
  /** '' for the object itself; others are named in the writer's entry, such as `status`. */
  readonly subresource: string;
  /** Of the whole object. What it says of the object's own metadata is not looked at: that is alike for all kinds. */
  readonly schema: Schema;
  /** Paths that a writer of this subresource does not own. */
  readonly resetFields: readonly (readonly string[])[];
  /** RFC 3339, whole seconds, UTC. */
  readonly now: string;
  /**
   * What the real server's decoder makes of an empty object of a built-in kind: members that Go always writes, such as
   * `{"metadata":{},"spec":{"containers":null},"status":{}}`. Nobody becomes the owner of these as such.
   *
   * @default {} - for custom resources
   */
  readonly empty?: JsonObject;
  /** Schemas of other versions of the kind, by `apiVersion`; converting between them changes nothing else. @default none */
  readonly otherVersions?: Readonly<Record<string, Schema>>;
}

const resets = new WeakMap<readonly (readonly string[])[], ReturnType<typeof setOfPaths>>();

const resetSet = (paths: readonly (readonly string[])[]): ReturnType<typeof setOfPaths> => {
  const known = resets.get(paths) ?? setOfPaths(paths);
  resets.set(paths, known);
  return known;
};

/** The versions in which a write's object can be owned. */
export const versionsOf = ({
  apiVersion,
  schema,
  otherVersions,
  resetFields,
  subresource,
}: FieldManagerWrite): Versions => ({
  apiVersion,
  // As the real server says it for custom resources: those of the status for all versions, the others for one.
  resetFieldsOf: (version) => (version === apiVersion || subresource !== '' ? resetSet(resetFields) : emptySet),
  atomOf: (version) => {
    if (version === apiVersion) return atomOf(schema);
    const other = otherVersions?.[version];
    return other && atomOf(other);
  },
});

/** Fields that nobody owns. */
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
 * The owner without what nobody owns.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/stripmeta.go
 */
export const stripOwner = (owner: Owner): Owner => withSet(owner, difference(owner.set, unowned));

const maxUpdaters = 10;
const ancientManager = 'ancient-changes';

/**
 * Unites the oldest updaters of a version into one entry while there are more than ten.
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

/** What a writer did, for {@link updateManagers}. */
export interface ManagedUpdate {
  readonly live: unknown;
  readonly next: unknown;
  readonly managers: Managers;
  readonly writer: Owner;
  readonly now: string;
}

/**
 * Owners after an update: the writer owns what it changed besides what it owned before, since now.
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

/** The object with these managed fields, or with none. Shares everything else; the same object when they are the same. */
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

/** The metadata of an object, which may be missing in a request. */
export const metadataOf = (object: JsonObject): JsonObject & { readonly managedFields?: unknown } =>
  (object['metadata'] ?? {}) as JsonObject;
