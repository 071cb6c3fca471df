import { AccessControl } from '#lib/apiserver/access/access.ts';
import { builtinKinds as kinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { HttpApi, type RequestRecord } from '#lib/apiserver/http/http-api.ts';
import { objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { errorText } from '#lib/apiserver/machinery/text/error-text.ts';
import { type Actors, createActors } from '#lib/controllers/actors.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { servedKinds } from '#lib/sim/served-kinds.ts';
import { ActorLoop } from './actor-loop.ts';
import { createServer } from './create-server.ts';
import { DataFile } from './data/data-file.ts';
import { type ClusterIdentity, refuseDataFile } from './data/data-file-format.ts';
import type { KeptFile } from './data/kept-file.ts';
import type { EmbeddedClusterOptions } from './options.ts';
import { compaction } from './upkeep/compaction.ts';
import { eventExpiry } from './upkeep/event-expiry.ts';
import { namespaceContents } from './upkeep/namespace-contents.ts';
import { virtualNodes } from './upkeep/nodes.ts';
import { ownService } from './upkeep/own-service.ts';

const RECORDED_REQUESTS = 10_000;
const DAY_S = 86_400;
const NODES = ['node-1'];

const warn = (error: unknown): void => {
  process.emitWarning(error instanceof Error ? error : errorText(error), 'EmbeddedClusterWarning');
};

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

/** The parts of an embedded cluster, without its port. */
export interface Parts {
  readonly server: ApiServer;
  readonly actors: Actors;
  readonly loop: ActorLoop;
  readonly api: HttpApi;
  readonly access: AccessControl;
  readonly records: Tail<RequestRecord>;
  readonly dataFile: DataFile | undefined;
}

/** Issues a token of a service account, valid for a day. @throws {ConfigurationError} when the service account does not exist */
export const tokenOf = ({ access }: Parts, namespace: string, name: string): string => {
  const admin = access.authenticate(undefined);
  const resource = { group: '', version: 'v1', plural: 'serviceaccounts' };
  const body = { spec: { expirationSeconds: DAY_S } };
  try {
    const answer = access.answer(admin, { verb: 'create', resource, namespace, name, subresource: 'token', body });
    return textIn(objectIn(answer?.body, 'status'), 'token');
  } catch (cause) {
    throw new ConfigurationError(
      `Cannot issue a token of the service account ${namespace}/${name}: ${errorText(cause)}`,
      {
        cause,
      },
    );
  }
};

const createAllActors = (server: ApiServer, { nodes = NODES, behavior }: EmbeddedClusterOptions): Actors =>
  createActors({
    server,
    now: Date.now,
    kinds,
    nodes: virtualNodes(nodes),
    observesChanges: true,
    ...(behavior && { behavior }),
  });

const portIn = (address: string): number => Number(/:(\d+)$/.exec(address)?.[1] ?? 0);

interface Given {
  readonly identity: ClusterIdentity;
  /** The data file of the cluster; `undefined` if the cluster has none. */
  readonly kept: KeptFile | undefined;
  /** Returns the host and port of the API server; '' before it listens. */
  readonly address: () => string;
}

const connect = (options: EmbeddedClusterOptions, { identity, kept, address }: Given): Parts => {
  const { onError = warn, nodes = NODES } = options;
  const now = Date.now;
  const server = createServer({ nodes, kept, now });
  const secret = Buffer.from(identity.secret, 'base64');
  const access = new AccessControl({ server, now, adminToken: identity.adminToken, secret });
  const actors = createAllActors(server, options);
  const dataFile = kept && new DataFile(kept.path, { server, identity, isOurs: kept.isOurs, onError });
  const records = new Tail<RequestRecord>(RECORDED_REQUESTS);
  const onWrite = (): void => {
    loop.wake();
    dataFile?.touch();
  };
  const onTurn = (): void => {
    api.endOrphans();
    dataFile?.touch();
  };
  const onRequest = (record: RequestRecord): void => records.add(record);
  const api = new HttpApi({ server, kinds: servedKinds, access, now, address, onRequest, onWrite });
  const loop = new ActorLoop({
    actors: [
      ...actors.actors,
      namespaceContents(server, identity.ca),
      ownService(server, () => portIn(address())),
      eventExpiry(server, now),
      compaction(server, now),
    ],
    now,
    version: () => server.resourceVersion,
    onTurn,
    onError,
  });
  return { server, actors, loop, api, access, records, dataFile };
};

/**
 * Creates the parts of a cluster and connects them.
 *
 * @throws {ConfigurationError} when the data file contains an object that cannot be stored, or a node name is invalid
 */
export const assemble = (options: EmbeddedClusterOptions, given: Given): Parts => {
  try {
    return connect(options, given);
  } catch (cause) {
    if (given.kept?.data === undefined || cause instanceof ConfigurationError) throw cause;
    throw refuseDataFile(given.kept.path, `its content cannot be stored (${errorText(cause)})`, cause);
  }
};
