import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { groupVersionOf, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';

const resourceOf = (plural: string, { apiVersion }: ServerObject) => ({ ...groupVersionOf(apiVersion), plural });

const isDefinition = ({ kind }: ServerObject): boolean => kind === 'CustomResourceDefinition';

/**
 * Puts objects into a server that is still empty. Those of kinds that are not served any more are left out.
 *
 * @param pluralOf - the plural of what an object is, when that is served
 */
export const restoreObjects = (
  server: ApiServer,
  objects: readonly ServerObject[],
  pluralOf: (object: ServerObject) => string | undefined,
): void => {
  for (const definition of objects.filter(isDefinition)) server.restore(resources.definitions, definition);
  for (const object of objects.filter((each) => !isDefinition(each))) {
    const plural = pluralOf(object);
    if (plural !== undefined) server.restore(resourceOf(plural, object), object);
  }
};
