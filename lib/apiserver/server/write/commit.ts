import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { freeze } from '../store/frozen.ts';
import type { Call } from '../target.ts';
import { noteWriter, present, toStorage } from '../versions.ts';

/** Stores an object, unless the request is a dry run. @returns the object in the version of the request */
export const commit = (call: Call, object: ServerObject): ServerObject => {
  const { server, target, options } = call;
  if (options.dryRun === true) return freeze(object);
  const stored = noteWriter(server.store.put(target.collection, toStorage(object, target)), target.kind);
  server.onPut(target, stored);
  return present(stored, target);
};

/** Removes an object, unless the request is a dry run. */
export const commitRemoval = ({ server, target, options }: Call, object: ServerObject): void => {
  if (options.dryRun === true) return;
  server.onRemove(target, server.store.remove(target.collection, object));
};
