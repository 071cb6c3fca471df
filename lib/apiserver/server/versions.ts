import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServedKind, ServedVersion } from '#lib/apiserver/machinery/served-kind.ts';
import { freeze } from './frozen.ts';
import { groupVersion } from './target.ts';

interface Shown {
  readonly kind: ServedKind;
  readonly version: ServedVersion;
  readonly object: ServerObject;
}

/** The kind, in the state that its definition had, by which an object was written. */
const writers = new WeakMap<ServerObject, ServedKind>();
const lastShown = new WeakMap<ServerObject, Shown>();

const convert = (object: ServerObject, kind: ServedKind, version: ServedVersion): ServerObject => {
  const named = { ...object, apiVersion: groupVersion(kind, version) };
  const { object: pruned } = kind.strategy.decode(named, version);
  return freeze(kind.strategy.setDefaults(pruned as unknown as ServerObject, version));
};

/** Notes by which kind an object was written. */
export const noteWriter = (object: ServerObject, kind: ServedKind): ServerObject => {
  if (kind.isCustom === true) writers.set(object, kind);
  return object;
};

/**
 * A stored object as a version of its kind shows it. Versions differ by their name and their schema only (conversion strategy
 * `None`), and a schema that was changed after the object was written prunes it and fills in its defaults.
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

/** An object of any version as it is stored. */
export const toStorage = (
  object: ServerObject,
  { kind, version }: { readonly kind: ServedKind; readonly version: ServedVersion },
): ServerObject => {
  if (version.name === kind.storageVersion) return object;
  const storage = kind.versions.find(({ name }) => name === kind.storageVersion);
  return storage === undefined ? object : convert(object, kind, storage);
};
