import { ConfigurationError } from '#lib/errors.ts';
import { Access } from '#lib/apiserver/access/access.ts';
import { type Actors, createActors } from '#lib/controllers/actors.ts';
import { embeddedKinds as kinds } from '#lib/apiserver/builtin/embedded-kinds.ts';
import { HttpFace, type RequestRecord } from '#lib/apiserver/http/http-face.ts';
import { objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { ActorLoop } from './actor-loop.ts';
import { compaction } from './compaction.ts';
import { createServer, everything } from './create-server.ts';
import { DataFile } from './data-file.ts';
import { type ClusterIdentity, refuse } from './data-file-format.ts';
import { errorText } from './error-text.ts';
import { eventExpiry } from './event-expiry.ts';
import type { KeptFile } from './kept-file.ts';
import { namespaceContents } from './namespace-contents.ts';
import { virtualNodes } from './nodes.ts';
import type { EmbeddedClusterOptions } from './options.ts';
import { ownService } from './own-service.ts';

const RECORDED_REQUESTS = 10_000;
const DAY_S = 86_400;
const NODES = ['node-1'];

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

const createAllActors = (server: ApiServer, { nodes = NODES, behavior }: EmbeddedClusterOptions): Actors =>
  createActors({
    server,
    now: Date.now,
    kinds,
    nodes: virtualNodes(nodes),
    observesChanges: true,
    ...(behavior && { behavior }),
  });

/** The port of an address; 0 when there is none yet. */
const portIn = (address: string): number => Number(/:(\d+)$/.exec(address)?.[1] ?? 0);

/** What a cluster is assembled with. */
interface Given {
  readonly identity: ClusterIdentity;
  /** The file that it is kept in. */
  readonly kept: KeptFile | undefined;
  /** Host and port, when there is one. */
  readonly address: () => string;
}

const connect = (options: EmbeddedClusterOptions, { identity, kept, address }: Given): Parts => {
  const { onError = warn, nodes = NODES } = options;
  const now = Date.now;
  const server = createServer({ nodes, kept, now });
  const secret = Buffer.from(identity.secret, 'base64');
  const access = new Access({ server, now, adminToken: identity.adminToken, secret });
  const actors = createAllActors(server, options);
  const dataFile = kept && new DataFile(kept.path, { server, identity, isOurs: kept.isOurs, onError });
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
  return { server, actors, loop, face, access, records, dataFile };
};

/**
 * Makes the parts of a cluster and connects them.
 *
 * @throws {ConfigurationError} when the file that it is kept in holds what cannot be stored
 */
export const assemble = (options: EmbeddedClusterOptions, given: Given): Parts => {
  try {
    return connect(options, given);
  } catch (cause) {
    if (given.kept?.data === undefined || cause instanceof ConfigurationError) throw cause;
    throw refuse(given.kept.path, `what it holds cannot be stored (${errorText(cause)})`, cause);
  }
};
