import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import {
  type FieldManagerWrite,
  fieldVersions,
  metadataOf,
  updateManagers,
  withManagedFields,
} from './field-manager.ts';
import { isEmptyMap, isList, isMap } from './fields/value.ts';
import { decodeManagers, encodeManagers, type Managers, newOwner } from './managers.ts';
import { typeError } from './typed/validate.ts';

const noObject: JsonObject = {};
const noManagers: Managers = new Map();

/** Whether a client resets the managed fields: it sends an empty list, or one empty entry. */
const isReset = (entries: unknown): boolean => {
  if (!isList(entries)) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isMap(first) && isEmptyMap(first));
};

/**
 * Returns the managers before the write: the managers that the client sent, or else the managers of the stored object. After a
 * reset, there are none.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/fieldmanager.go (`decodeLiveOrNew`)
 */
const startingManagers = (live: JsonObject, next: JsonObject, isSubresource: boolean): Managers => {
  const stored = metadataOf(live).managedFields;
  const sent = metadataOf(next).managedFields;
  if (!isSubresource && sent !== stored) {
    if (isReset(sent)) return noManagers;
    const managers = decodeManagers(sent);
    if (managers !== undefined && managers.size > 0) return managers;
  }
  return decodeManagers(stored) ?? noManagers;
};

/**
 * Computes the managed fields of an object that was created, updated or patched. An updated object without managers before the
 * write gets none. As on the real server, the managed fields are dropped when a value does not fit the schema, or when a patch
 * changes the apiVersion or the kind.
 *
 * @returns `next` with or without managed fields; the result shares all other parts with `next`
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/fieldmanager.go (`UpdateNoErrors`)
 */
export const trackUpdatedFields = (write: FieldManagerWrite & { readonly next: ServerObject }): ServerObject => {
  const { live, next, apiVersion, subresource, now, empty = noObject } = write;
  const before: JsonObject = live ?? empty;
  const managers = startingManagers(before, next, subresource !== '');
  const object = withManagedFields(next, undefined);
  if (live !== undefined && (managers.size === 0 || !claimsToBe(next, { apiVersion, kind: live.kind }))) return object;
  const versions = fieldVersions(write);
  if (!fits([object, before], managers, versions)) return object;
  const writer = newOwner({ manager: write.manager || 'unknown', operation: 'Update', apiVersion, subresource });
  const owners = updateManagers({ live: before, next: object, managers, writer, now }, versions);
  return withManagedFields(next, encodeManagers(owners, live?.metadata.managedFields));
};

/**
 * Whether an object has the expected apiVersion and kind. A patch of the status may change both. In this case, the schema of the
 * kind does not apply to the object, and its managed fields cannot be computed.
 */
const claimsToBe = (object: ServerObject, type: Pick<ServerObject, 'apiVersion' | 'kind'>): boolean =>
  object.apiVersion === type.apiVersion && object.kind === type.kind;

const fits = (
  objects: readonly JsonObject[],
  managers: Managers,
  { apiVersion, atomOf }: ReturnType<typeof fieldVersions>,
): boolean => {
  const versions = new Set([apiVersion]);
  for (const owner of managers.values()) versions.add(owner.apiVersion);
  return [...versions].every((version) => {
    const atom = atomOf(version);
    // Lists may contain duplicates only in the version of the request. A conversion to another version refuses duplicates.
    const rules = { allowDuplicates: version === apiVersion };
    return atom === undefined || objects.every((object) => typeError(atom, object, rules) === undefined);
  });
};
