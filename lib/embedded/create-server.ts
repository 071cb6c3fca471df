import { randomInt, randomUUID } from 'node:crypto';
import { createDefaultRoles } from '#lib/apiserver/access/default-roles.ts';
import { embeddedKinds } from '#lib/apiserver/builtin/embedded-kinds.ts';
import { quotaAdmission } from '#lib/apiserver/builtin/quota-admission.ts';
import { definitionKind } from '#lib/apiserver/crd/definition-kind.ts';
import { Catalogue } from '#lib/apiserver/http/catalogue.ts';
import { NAME_LETTERS } from '#lib/apiserver/machinery/names.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { groupVersionOf, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { type Randomness, SUFFIX_LENGTH } from '#lib/apiserver/server/identity.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import type { ClusterData } from './data-file-format.ts';
import type { KeptFile } from './kept-file.ts';
import { createNodes } from './nodes.ts';
import { restoreObjects } from './restore.ts';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** So many names are remembered, so that the same commands in a new cluster give the same names. */
const NAMES = 10_000;

const random: Randomness = {
  uid: () => randomUUID(),
  suffix: () => Array.from({ length: SUFFIX_LENGTH }, () => NAME_LETTERS[randomInt(NAME_LETTERS.length)]).join(''),
};

/** The kinds that are served from the start. */
export const everything = [...embeddedKinds, definitionKind];

/** Everything that was stored in an earlier life; nobody can watch from before. */
const restore = (server: ApiServer, objects: readonly ServerObject[]): void => {
  const catalogue = new Catalogue(everything, () => server.objects(resources.definitions));
  restoreObjects(server, objects, ({ apiVersion, kind }) => {
    const { group, version } = groupVersionOf(apiVersion);
    const isServed = (served: { readonly group: string; readonly version: string; readonly kind: string }): boolean =>
      served.kind === kind && served.group === group && served.version === version;
    return catalogue.all.find(isServed)?.plural;
  });
  server.compact(server.resourceVersion);
};

/**
 * So far above all versions of an earlier life a cluster begins: who knows one of those, also one that was not written any more, is
 * answered 410, and no version comes twice.
 */
const VERSIONS_BETWEEN_LIVES = 1_000_000;

const versionOf = ({ metadata }: ServerObject): number => Number(metadata.resourceVersion) || 0;

const lastVersionOf = ({ resourceVersion, objects }: ClusterData): number =>
  objects.reduce((last, object) => Math.max(last, versionOf(object)), resourceVersion);

interface CreateServerOptions {
  /** Names of the nodes. */
  readonly nodes: readonly string[];
  readonly kept: KeptFile | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * The API server of a cluster, with what it was kept with, the roles that every cluster has, and its nodes.
 *
 * @throws {ConfigurationError} when a name of a node is none
 * @throws {Error} when the file holds what cannot be stored
 */
export const createServer = ({ nodes, kept, now }: CreateServerOptions): ApiServer => {
  const server = createApiServer({
    kinds: everything,
    now,
    namespaces: NAMESPACES,
    nameLimit: NAMES,
    // Those of another life are not known, and must not be given again.
    ...(kept && { random }),
    customAdmission: quotaAdmission,
    ...(kept?.data && { firstVersion: lastVersionOf(kept.data) + VERSIONS_BETWEEN_LIVES }),
  });
  if (kept?.data) restore(server, kept.data.objects);
  createDefaultRoles(server);
  createNodes(server, nodes, now());
  return server;
};
