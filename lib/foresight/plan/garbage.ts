import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { ObjectName } from '#lib/foresight/cluster/live-object.ts';

const objectsOf = (server: ApiServer): readonly ServerObject[] =>
  Object.values(server.dump()).flatMap((objects) => objects as readonly ServerObject[]);

/**
 * Uids of owners that the virtual server does not store. These owners may exist in the cluster, because a user may not be allowed
 * to read all objects.
 */
export const missingOwnersIn = (server: ApiServer): ReadonlySet<string> => {
  const objects = objectsOf(server);
  const living = new Set(objects.map(({ metadata }) => metadata.uid));
  const owners = objects.flatMap(({ metadata: { ownerReferences = [] } }) => ownerReferences.map(({ uid }) => uid));
  return new Set(owners.filter((uid) => !living.has(uid)));
};

/** The objects that the garbage collector would delete because all their owners are gone, and the dependents of these objects. */
export const garbageIn = (server: ApiServer): readonly ObjectName[] => {
  const objects = objectsOf(server);
  const living = new Set(objects.map(({ metadata }) => metadata.uid));
  const garbage: ServerObject[] = [];
  for (;;) {
    const next = objects.filter(({ metadata: { uid, ownerReferences = [] } }) => {
      const isOwned = ownerReferences.length > 0;
      return living.has(uid) && isOwned && ownerReferences.every((owner) => !living.has(owner.uid));
    });
    if (next.length === 0) break;
    for (const object of next) living.delete(object.metadata.uid);
    garbage.push(...next);
  }
  return garbage.map(({ apiVersion, kind, metadata }) => {
    const { namespace = '', name } = metadata;
    return { apiVersion, kind, namespace, name };
  });
};
