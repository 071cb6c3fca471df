import { kindOfDefinition } from '#lib/apiserver/crd/kind-of-definition.ts';
import { isEstablished } from '#lib/apiserver/crd/naming.ts';
import { textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type {
  GroupResource,
  ResourceName,
  ServerEvent,
  ServerRequest,
  ServerResponse,
  WatchRequest,
} from '#lib/apiserver/machinery/request.ts';
import { isResource, resourceKey, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind, ServerView, Strategy } from '#lib/apiserver/machinery/served-kind.ts';
import type { ApiServer, OpenWatch, ServerCopyOptions } from '#lib/apiserver/machinery/server.ts';
import { noSuchResource, notImplemented, StatusError } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import { internalFailure } from './errors.ts';
import { Kinds } from './kinds.ts';
import { isKnownResource } from './known-resources.ts';
import { RecalledState, recallKey } from './recall.ts';
import { type DefinitionsPort, settleDefinitions } from './resources/definitions.ts';
import { phaseOf } from './resources/namespace-phase.ts';
import { handleCall } from './routes.ts';
import { frozenCopy } from './store/frozen.ts';
import type { Randomness } from './store/identity.ts';
import { Store } from './store/store.ts';
import { type Call, groupVersion, type Server, type Target } from './target.ts';
import { openWatch } from './verbs/watch.ts';
import { toStorage } from './versions.ts';

/** Options of {@link createApiServer}. */
export interface ApiServerOptions {
  /** Kinds that are served from the start. */
  readonly kinds: readonly ServedKind[];
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
  /** Namespaces that exist initially. @default ['default'] */
  readonly namespaces?: readonly string[];
  /** Minimum number of changes per resource that the server keeps, and from which a watch can start. @default 10000 */
  readonly historyLimit?: number;
  /**
   * Maximum number of remembered names per resource. Above this number, uids and generated names also depend on the history of
   * other names.
   *
   * @default no limit: uids and generated names depend only on the history of their own name
   */
  readonly nameLimit?: number;
  /** Source of uids and name suffixes. @default hashes of the name and its history, so that runs can be compared */
  readonly random?: Randomness;
  /** The resource version before the first write; must exceed all versions of an earlier run. @default 100 */
  readonly firstVersion?: number;
  /** Returns the validating admission of a custom resource, such as the check of quotas. @default none */
  readonly customAdmission?: CustomAdmission;
}

type CustomAdmission = (kind: ServedKind) => NonNullable<Strategy['admit']>;

/**
 * The resource version before the first write. In a real cluster, the lowest versions are too old for every watch, because the
 * real server makes and compacts its first writes before any client can watch.
 */
const FIRST_VERSION = 100;
const HISTORY_LIMIT = 10_000;

interface ServerParts {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

interface Contents {
  readonly kinds: Kinds;
  readonly store: Store;
  readonly fixedNamespaces: ReadonlySet<string>;
  readonly now: () => number;
  readonly random: Randomness | undefined;
  readonly customAdmission: CustomAdmission | undefined;
  readonly recalled: RecalledState | undefined;
}

class VirtualApiServer implements ApiServer {
  readonly #kinds: Kinds;
  readonly #store: Store;
  readonly #server: Server;
  /** The existing namespaces, if the server does not serve the kind Namespace. */
  readonly #fixedNamespaces: ReadonlySet<string>;
  readonly #definitionsPort: DefinitionsPort;
  readonly #customAdmission: CustomAdmission | undefined;
  #areDefinitionsSettled = true;
  /** The results of the next writes, as far as they are known; undefined if this server recalls no writes. */
  #recalled: RecalledState | undefined;

  constructor({ kinds, store, fixedNamespaces, now, random, customAdmission, recalled }: Contents) {
    this.#kinds = kinds;
    this.#recalled = recalled;
    this.#customAdmission = customAdmission;
    this.#store = store;
    this.#fixedNamespaces = fixedNamespaces;
    const view: ServerView = { objects: (resource, namespace) => this.objects(resource, namespace), now };
    this.#server = {
      store: this.#store,
      view,
      now,
      onPut: (target, object) => this.#onPut(target, object),
      onRemove: (target, object) => this.#onRemove(target, object),
      namespaces: { find: (name) => this.#namespacePhase(name) },
      isGoingAway: (kind) => this.#kinds.isGoingAway(kind),
      random,
    };
    this.#definitionsPort = {
      now,
      definitions: () => this.objects(resources.definitions),
      kindOf: (definition) => this.#kinds.definedBy(definition),
      call: (request) => this.#callOf(request),
    };
  }

  get resourceVersion(): string {
    return String(this.#store.version);
  }

  copy(now: () => number, { recallsWrites }: ServerCopyOptions = {}): ApiServer {
    const [kinds, store] = [this.#kinds.copy(), this.#store.copy()];
    const { random } = this.#server;
    const [fixedNamespaces, customAdmission] = [this.#fixedNamespaces, this.#customAdmission];
    const recalled = recallsWrites === undefined ? this.#recalled : recallsWrites ? new RecalledState() : undefined;
    return new VirtualApiServer({ kinds, store, fixedNamespaces, now, random, customAdmission, recalled });
  }

  handle(request: ServerRequest): ServerResponse {
    const answer = this.#recalled === undefined ? this.#answer(request) : this.#recall(this.#recalled, request);
    this.#store.deliver();
    return answer;
  }

  #recall(state: RecalledState, request: ServerRequest): ServerResponse {
    if (request.verb === 'get' || request.verb === 'list') return this.#answer(request);
    const key = recallKey(request, this.#server.now());
    const known = key === undefined ? undefined : state.get(key);
    if (known !== undefined) {
      this.#store.repeat(known.effects);
      this.#recalled = known.after;
      return known.response;
    }
    const { result, effects } = this.#store.recorded(() => this.#answer(request));
    this.#recalled = key === undefined ? undefined : state.add(key, { response: result, effects });
    return result;
  }

  watch(request: WatchRequest, onEvent: (event: ServerEvent) => void): OpenWatch {
    const target = this.#targetOf(request.resource, request);
    return openWatch({ server: this.#server, target, request, onEvent });
  }

  objects(resource: GroupResource, namespace?: string): readonly ServerObject[] {
    return this.#store.objects(resourceKey(resource), namespace);
  }

  objectsAt(resource: GroupResource, resourceVersion: string): readonly ServerObject[] | undefined {
    return this.#store.objectsAt(resourceKey(resource), Number(resourceVersion));
  }

  restore(resource: ResourceName, object: ServerObject): void {
    const { namespace, name } = object.metadata;
    const target = this.#targetOf(resource, { namespace, name });
    const stored = toStorage(frozenCopy(object) as ServerObject, target);
    this.#recalled = undefined;
    this.#store.restore(target.collection, stored);
    this.#onPut(target, stored);
  }

  compact(resourceVersion: string, keep = 0): void {
    this.#recalled = undefined;
    this.#store.compact(Number(resourceVersion), keep);
  }

  dump(): JsonObject {
    return this.#store.dump();
  }

  #answer(request: ServerRequest): ServerResponse {
    try {
      const answer = handleCall(this.#callOf(request));
      if (!this.#areDefinitionsSettled) settleDefinitions(this.#definitionsPort);
      this.#areDefinitionsSettled = true;
      return answer;
    } catch (error) {
      const { status } = error instanceof StatusError ? error : internalFailure((error as Error).toString());
      return { code: status.code ?? 500, body: status as unknown as JsonObject };
    }
  }

  #callOf(request: ServerRequest): Call {
    const target = this.#targetOf(request.resource, request);
    const { collection, namespace, name } = target;
    const isRead = request.verb === 'get' || request.verb === 'list';
    const body = isRead ? undefined : frozenCopy(request.body, collection.table.get(namespace, name));
    return { server: this.#server, target, request: { ...request, body }, options: request.options ?? {} };
  }

  #targetOf(resource: ResourceName, { namespace = '', name = '' }: ServerParts): Target {
    const served = this.#kinds.find(resource);
    if (served === undefined) {
      throw isKnownResource(resource) ? notImplemented(`the resource ${resourceKey(resource)}`) : noSuchResource();
    }
    const { kind, version } = served;
    const isCluster = kind.scope === 'Cluster';
    if (isCluster && namespace !== '' && !isResource(kind, resources.namespaces)) throw noSuchResource();
    return {
      kind,
      version,
      collection: this.#store.collection(resourceKey(resource)),
      namespace: isCluster ? '' : namespace,
      name,
      subject: { group: kind.group, kind: kind.plural, name },
      apiVersion: groupVersion(kind, version),
    };
  }

  #namespacePhase(name: string): 'active' | 'terminating' | undefined {
    if (this.#fixedNamespaces.has(name)) return 'active';
    const namespace = this.#store.collection(resourceKey(resources.namespaces)).table.get('', name);
    return namespace && phaseOf(namespace);
  }

  #onPut({ kind }: Target, object: ServerObject): void {
    if (!isResource(kind, resources.definitions)) return;
    this.#areDefinitionsSettled = false;
    if (!isEstablished(object)) return;
    this.#kinds.define(object, this.#admitted(kindOfDefinition(object)));
    const defined = this.#kinds.definedBy(object);
    if (defined) this.#store.collection(resourceKey(defined));
  }

  #admitted(kind: ServedKind): ServedKind {
    const admit = this.#customAdmission?.(kind);
    return admit === undefined ? kind : { ...kind, strategy: { ...kind.strategy, admit } };
  }

  #onRemove({ kind }: Target, object: ServerObject): void {
    if (isResource(kind, resources.definitions)) this.#kinds.undefine(object);
    if (isResource(kind, resources.definitions) || this.#kinds.isGoingAway(kind)) this.#areDefinitionsSettled = false;
  }
}

const createNamespace = (server: ApiServer, name: string): void => {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const options = { fieldManager: 'kube-apiserver' };
  const { code, body: answer } = server.handle({ verb: 'create', resource: resources.namespaces, body, options });
  if (code !== 201) throw new Error(`Cannot create the namespace "${name}": ${textIn(answer, 'message')}`);
};

/**
 * Creates a virtual Kubernetes API server. It works like the generic registry and the handlers of the real server, with a store
 * in memory.
 *
 * Flow of a write: decode the object (drop unknown fields, fill in defaults) → compute the managed fields → run mutating
 * admission → prepare the object with the strategy → validate the object → run validating admission → store the object → send
 * events to the watches.
 *
 * Guarantees: the server is synchronous and, without the option `random`, deterministic. Stored and returned objects are frozen.
 * Without the options `random` and `nameLimit`, uids and generated names do not depend on other objects.
 *
 * Caveats: a request for a resource that only the real server has fails with 501.
 *
 * @throws {Error} when one of the namespaces cannot be created
 */
export const createApiServer = (options: ApiServerOptions): ApiServer => {
  const { kinds, now, namespaces = ['default'], historyLimit = HISTORY_LIMIT, random, customAdmission } = options;
  const limits = { history: historyLimit, names: options.nameLimit ?? Infinity };
  const store = new Store(options.firstVersion ?? FIRST_VERSION, limits);
  for (const kind of kinds) store.collection(resourceKey(kind));
  const isServed = kinds.some((kind) => isResource(kind, resources.namespaces));
  const fixedNamespaces = new Set(isServed ? [] : namespaces);
  const server = new VirtualApiServer({
    kinds: new Kinds(kinds),
    store,
    fixedNamespaces,
    now,
    random,
    customAdmission,
    recalled: undefined,
  });
  if (isServed) for (const name of namespaces) createNamespace(server, name);
  return server;
};
