import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { groupVersionOf, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';

const resourceOf = (plural: string, { apiVersion }: ServerObject) => ({ ...groupVersionOf(apiVersion), plural });

const isDefinition = ({ kind }: ServerObject): boolean => kind === 'CustomResourceDefinition';

/**
 * Stores objects in an empty server. Skips kinds that are no longer served.
 *
 * @param pluralOf - returns the plural of an object's kind, if it is served
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
