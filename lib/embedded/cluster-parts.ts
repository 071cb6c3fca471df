import { randomBytes } from 'node:crypto';
import { ConfigurationError } from '#lib/errors.ts';
import { Access } from '#lib/sim/access/access.ts';
import { createDefaultRoles } from '#lib/sim/access/default-roles.ts';
import { type Actors, createActors } from '#lib/sim/actors/actors.ts';
import { embeddedKinds as kinds } from '#lib/sim/builtin/embedded-kinds.ts';
import { definitionKind } from '#lib/sim/crd/definition-kind.ts';
import { Catalogue } from '#lib/sim/http/catalogue.ts';
import { HttpFace, type RequestRecord } from '#lib/sim/http/http-face.ts';
import { objectIn, textIn } from '#lib/sim/machinery/members.ts';
import type { ServerObject } from '#lib/sim/machinery/object.ts';
import { groupVersionOf, resources } from '#lib/sim/machinery/resources.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { createApiServer } from '#lib/sim/server/server.ts';
import { ActorLoop } from './actor-loop.ts';
import { type ClusterData, DataFile, restoreObjects } from './data-file.ts';
import { eventExpiry } from './event-expiry.ts';
import { namespaceContents } from './namespace-contents.ts';
import type { EmbeddedClusterOptions } from './options.ts';

const RECORDED_REQUESTS = 10_000;
const DAY_S = 86_400;
const NODES = ['node-1'];
const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const createNodes = (server: ApiServer, nodes: readonly string[]): void => {
  const resource = { group: '', version: 'v1', plural: 'nodes' };
  for (const name of nodes) {
    const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
    const { code, body: answer } = server.handle({ verb: 'create', resource, body });
    const isThere = code === 201 || code === 409;
    if (!isThere) throw new ConfigurationError(`Cannot create the node "${name}": ${String(answer['message'])}`);
  }
};

const warn = (error: unknown): void => {
  process.emitWarning(error instanceof Error ? error : String(error), 'EmbeddedClusterWarning');
};

/** The last so many of what is added. */
class Tail<T> {
  readonly #limit: number;
  #items: T[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#limit) this.#items = this.#items.slice(-this.#limit);
  }

  get items(): readonly T[] {
    return this.#items.slice(-this.#limit);
  }
}

/** What an embedded cluster is made of, without its port. */
export interface Parts {
  readonly server: ApiServer;
  readonly actors: Actors;
  readonly loop: ActorLoop;
  readonly face: HttpFace;
  readonly access: Access;
  readonly records: Tail<RequestRecord>;
  readonly dataFile: DataFile | undefined;
}

/** A token of a service account, good for a day. @throws {ConfigurationError} when there is no such service account */
export const tokenOf = ({ access }: Parts, namespace: string, name: string): string => {
  const admin = access.authenticate(undefined);
  const resource = { group: '', version: 'v1', plural: 'serviceaccounts' };
  const body = { spec: { expirationSeconds: DAY_S } };
  try {
    const answer = access.answer(admin, { verb: 'create', resource, namespace, name, subresource: 'token', body });
    return textIn(objectIn(answer?.body, 'status'), 'token');
  } catch (cause) {
    throw new ConfigurationError(`Cannot make a token of the service account ${namespace}/${name}: ${String(cause)}`, {
      cause,
    });
  }
};

const everything = [...kinds, definitionKind];

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

const createServer = (data: ClusterData, nodes: readonly string[], isKept: boolean): ApiServer => {
  const epoch = isKept ? randomBytes(8).toString('hex') : '';
  const server = createApiServer({ kinds: everything, now: Date.now, namespaces: NAMESPACES, epoch });
  if (data.objects.length > 0) restore(server, data.objects);
  createDefaultRoles(server);
  createNodes(server, nodes);
  return server;
};

const createAllActors = (server: ApiServer, { nodes = NODES, behavior }: EmbeddedClusterOptions): Actors =>
  createActors({
    server,
    now: Date.now,
    kinds,
    nodes: nodes.map((name) => ({ name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } })),
    ...(behavior && { behavior }),
  });

/**
 * Makes the parts of a cluster and connects them.
 *
 * @param given.data - what it starts with
 * @param given.address - host and port, when there is one
 */
export const assemble = (
  options: EmbeddedClusterOptions,
  given: { readonly data: ClusterData; readonly address: () => string },
): Parts => {
  const { dataFile: path, onError = warn, nodes = NODES } = options;
  const { data, address } = given;
  const { identity } = data;
  const now = Date.now;
  const server = createServer(data, nodes, path !== undefined);
  const secret = Buffer.from(identity.secret, 'base64');
  const access = new Access({ server, now, adminToken: identity.adminToken, secret });
  const actors = createAllActors(server, options);
  const dataFile = path === undefined ? undefined : new DataFile(path, { server, identity, onError });
  const records = new Tail<RequestRecord>(RECORDED_REQUESTS);
  const onWrite = (): void => {
    loop.wake();
    dataFile?.touch();
  };
  const onTurn = (): void => {
    face.endOrphans();
    dataFile?.touch();
  };
  const onRequest = (record: RequestRecord): void => records.add(record);
  const face = new HttpFace({ server, kinds: everything, access, now, address, onRequest, onWrite });
  const loop = new ActorLoop({
    actors: [...actors.actors, namespaceContents(server, identity.ca), eventExpiry(server, now)],
    now,
    version: () => server.resourceVersion,
    onTurn,
    onError,
  });
  return { server, actors, loop, face, access, records, dataFile };
};
