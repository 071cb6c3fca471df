import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServedKind, ServedVersion } from '#lib/apiserver/machinery/served-kind.ts';
import { freeze } from './store/frozen.ts';
import { groupVersion } from './target.ts';

interface Shown {
  readonly kind: ServedKind;
  readonly version: ServedVersion;
  readonly object: ServerObject;
}

/**
 * The `ServedKind` at the write of each custom resource. A change of a CRD creates a new `ServedKind`. If the `ServedKind`
 * is the same, the schema has not changed since the write.
 */
const writers = new WeakMap<ServerObject, ServedKind>();
const lastShown = new WeakMap<ServerObject, Shown>();

const convert = (object: ServerObject, kind: ServedKind, version: ServedVersion): ServerObject => {
  const named = { ...object, apiVersion: groupVersion(kind, version) };
  const { object: pruned } = kind.strategy.decode(named, version);
  return freeze(kind.strategy.setDefaults(pruned as unknown as ServerObject, version));
};

/**
 * Whether a stored object needs no defaults of its status. A new object is stored without a status. For this reason, the
 * defaults of its status are filled in at each read.
 */
const isWhole = (object: ServerObject, kind: ServedKind): boolean => {
  if (object.status !== undefined) return true;
  const storage = kind.versions.find(({ name }) => name === kind.storageVersion);
  return storage === undefined || kind.strategy.setDefaults(object, storage) === object;
};

/** Records the kind with which a custom resource was written, if no default of its status is missing. Returns the object. */
export const noteWriter = (object: ServerObject, kind: ServedKind): ServerObject => {
  if (kind.isCustom === true && isWhole(object, kind)) writers.set(object, kind);
  return object;
};

/**
 * Converts a stored object to a version of its kind. Built-in kinds have one version, so their objects stay unchanged. Versions
 * of custom resources differ only in name and schema (conversion strategy `None`). If the version is not the storage version, or
 * the schema changed after the object was written, the function prunes the object and fills in its defaults.
 */
export const present = (
  object: ServerObject,
  { kind, version }: { readonly kind: ServedKind; readonly version: ServedVersion },
): ServerObject => {
  if (kind.isCustom !== true) return object;
  if (version.name === kind.storageVersion && writers.get(object) === kind) return object;
  const shown = lastShown.get(object);
  if (shown?.kind === kind && shown.version === version) return shown.object;
  const converted = convert(object, kind, version);
  lastShown.set(object, { kind, version, object: converted });
  return converted;
};

/** Converts an object from any version to the storage version. */
export const toStorage = (
  object: ServerObject,
  { kind, version }: { readonly kind: ServedKind; readonly version: ServedVersion },
): ServerObject => {
  if (version.name === kind.storageVersion) return object;
  const storage = kind.versions.find(({ name }) => name === kind.storageVersion);
  return storage === undefined ? object : convert(object, kind, storage);
};
