import { randomInt, randomUUID } from 'node:crypto';
import { createDefaultRoles } from '#lib/apiserver/access/default-roles.ts';
import { systemPriorityClasses } from '#lib/apiserver/builtin/pods/priority-class.ts';
import { ApiCatalogue } from '#lib/apiserver/http/discovery/catalogue.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { groupVersionOf, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { NAME_LETTERS } from '#lib/apiserver/machinery/text/names.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import { type Randomness, SUFFIX_LENGTH } from '#lib/apiserver/server/store/identity.ts';
import { servedKinds } from '#lib/sim/served-kinds.ts';
import type { ClusterData } from './data/data-file-format.ts';
import type { KeptFile } from './data/kept-file.ts';
import { customAdmission } from './unconverted.ts';
import { createNodes } from './upkeep/nodes.ts';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * Number of generated names that the server remembers. Up to this number, the same commands in a new cluster without a data file
 * generate the same names.
 */
const NAMES = 10_000;

const random: Randomness = {
  uid: () => randomUUID(),
  suffix: () => Array.from({ length: SUFFIX_LENGTH }, () => NAME_LETTERS[randomInt(NAME_LETTERS.length)]).join(''),
};

const isDefinition = ({ kind }: ServerObject): boolean => kind === 'CustomResourceDefinition';

/**
 * Restores the objects of an earlier run, except objects of kinds that are no longer served. Then drops the history, so that a
 * watch cannot begin before the restored objects.
 */
const restore = (server: ApiServer, objects: readonly ServerObject[]): void => {
  const catalogue = new ApiCatalogue(servedKinds, () => server.objects(resources.definitions));
  for (const definition of objects.filter(isDefinition)) server.restore(resources.definitions, definition);
  for (const object of objects.filter((each) => !isDefinition(each))) {
    const { group, version } = groupVersionOf(object.apiVersion);
    const served = catalogue.all.find(
      (each) => each.kind === object.kind && each.group === group && each.version === version,
    );
    if (served !== undefined) server.restore({ group, version, plural: served.plural }, object);
  }
  server.compact(server.resourceVersion);
};

/**
 * The increase of the resource version from one run to the next. The increase is larger than the number of versions that a crash
 * can lose, so no version is used twice. A watch from a version of the earlier run gets code 410.
 */
const VERSIONS_BETWEEN_LIVES = 1_000_000;

const versionOf = ({ metadata }: ServerObject): number => Number(metadata.resourceVersion) || 0;

const lastVersionOf = ({ resourceVersion, objects }: ClusterData): number =>
  objects.reduce((last, object) => Math.max(last, versionOf(object)), resourceVersion);

/** Creates the PriorityClasses that every cluster has. Classes that already exist stay unchanged. */
const createPriorityClasses = (server: ApiServer): void => {
  const resource = resources.priorityClasses;
  for (const body of systemPriorityClasses)
    server.handle({ verb: 'create', resource, body, options: { fieldManager: 'kube-apiserver' } });
};

interface CreateServerOptions {
  readonly nodes: readonly string[];
  readonly kept: KeptFile | undefined;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Creates the API server of a cluster, with its stored objects, default roles and nodes.
 *
 * @throws {ConfigurationError} for an invalid node name
 * @throws {Error} when the data file contains an object that cannot be stored
 */
export const createServer = ({ nodes, kept, now }: CreateServerOptions): ApiServer => {
  const server = createApiServer({
    kinds: servedKinds,
    now,
    namespaces: NAMESPACES,
    nameLimit: NAMES,
    // Without a data file, uids are derived from names. With a data file, uids are random, because a derived uid may have been
    // assigned in an earlier run.
    ...(kept && { random }),
    customAdmission,
    ...(kept?.data && { firstVersion: lastVersionOf(kept.data) + VERSIONS_BETWEEN_LIVES }),
  });
  if (kept?.data) restore(server, kept.data.objects);
  createDefaultRoles(server);
  createPriorityClasses(server);
  createNodes(server, nodes, now());
  return server;
};
