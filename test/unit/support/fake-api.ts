import type { ResourceName, ServerEvent, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConnectionError, InvariantError, type ReconcileError } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { groupOf, type KubeObject, resourceName } from '#lib/kind/handles/reference.ts';
import type { ApiObject, ApiResource, KubeApi, WatchEvent } from '#lib/kube/interface/api.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { directTransport } from '#lib/sim/world/api/direct-transport.ts';
import { kubeApiOver } from '#lib/sim/world/api/kube-api.ts';
import type { VirtualTransport, WatchTerms } from '#lib/sim/world/api/transport.ts';
import { type User, userOf } from '#lib/sim/world/scenario/user.ts';
import type { ManualTimers } from './manual-timers.ts';

/** One counted request. */
export interface FakeRequest {
  /** A watch-list counts as `list`. */
  readonly verb: 'list' | 'watch' | 'get' | 'create' | 'apply' | 'patch' | 'patchStatus' | 'delete';
  readonly resource: string;
  readonly name: string;
}

/** Decides whether a request fails, and with what. */
export type Fault = (request: FakeRequest) => ReconcileError | undefined;

/** An object of another writer; the server completes its metadata. */
export interface WrittenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The default namespace of an object of these tests. */
const homeOf = ({ scope }: ApiResource): { readonly namespace?: string } =>
  scope === 'Cluster' ? {} : { namespace: NAMESPACE };

const CRDS = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };

/** The interval of the real server's bookmarks, in milliseconds. */
const BOOKMARK_MS = 60_000;
const LAST_BOOKMARK_MS = 2000;

/** The contents of a backup. */
export interface StorageSnapshot {
  readonly version: string;
  readonly stored: readonly ApiObject[];
}

const isDefinition = ({ kind }: ApiObject): boolean => kind === 'CustomResourceDefinition';

/** Sufficient for the kinds of these tests. */
const pluralOf = ({ kind }: ApiObject): string => {
  const word = kind.toLowerCase();
  return word.endsWith('f') ? `${word.slice(0, -1)}ves` : `${word}s`;
};

/** An object with a version: the newest version of the storage. */
const markerAt = (resourceVersion: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'marker', namespace: 'default', uid: 'uid-marker', resourceVersion },
});

/** The namespace of all objects in these tests. */
const NAMESPACE = 'default';

const nameIn = (body: unknown): string => (body as { readonly metadata: { readonly name: string } }).metadata.name;

const idOf = ({ group, version, plural }: ResourceName): string =>
  resourceName({ apiVersion: group === '' ? version : `${group}/${version}`, plural });

const verbOf = (request: ServerRequest): string => {
  if (request.subresource === 'status') return 'patchStatus';
  return request.verb === 'patch' && request.patchType === 'apply' ? 'apply' : request.verb;
};

/** The name of the object that a request is about; empty for a list of all. */
const nameOf = (request: ServerRequest): string => {
  if (request.verb === 'create') return nameIn(request.body);
  if (request.verb !== 'list') return request.name ?? '';
  return /^metadata\.name=(.+)$/.exec(request.options?.fieldSelector ?? '')?.[1] ?? '';
};

const counted = (request: ServerRequest): FakeRequest => ({
  verb: verbOf(request) as FakeRequest['verb'],
  resource: idOf(request.resource),
  name: nameOf(request),
});

/** The virtual API server. It counts the loop's requests, can fail them, and writes as other clients do. */
export class FakeApi {
  /** The loop's client. */
  readonly client: KubeApi;
  /** Every request that arrived, including refused ones. */
  readonly requests: FakeRequest[] = [];
  /** Refuses a request before it is carried out. */
  refuse: Fault = () => undefined;
  /** Fails a request after it was carried out, as when the answer is lost. */
  loseAnswer: Fault = () => undefined;
  /** Whether watches get a bookmark each minute, and two seconds before their end, as from the real server. */
  sendsBookmarks = false;
  /** Runs when a request has arrived and before it is carried out. */
  before: (request: FakeRequest) => void | Promise<void> = () => undefined;
  /** Mutating admission: changes the body of a request of the loop before it is carried out. */
  mutate: (request: FakeRequest, body: unknown) => unknown = (_request, body) => body;
  #server: ApiServer;
  #user: User;
  #transport: VirtualTransport;
  /** Ends the watches that are open. */
  #openWatches = new Set<(error: Error) => void>();
  readonly #timers: ManualTimers;

  /** @param kinds - kinds whose CRDs are installed */
  constructor(timers: ManualTimers, kinds: readonly AnyKindDefinition[]) {
    this.#timers = timers;
    this.#server = createClusterServer(() => timers.trueNow);
    this.#user = userOf(this.#server);
    this.#transport = directTransport(this.#server, timers);
    this.client = kubeApiOver(this.#overseen());
    for (const kind of kinds) this.define(kind);
  }

  get resourceVersion(): string {
    return this.#server.resourceVersion;
  }

  /** The requests that change something. */
  get writes(): FakeRequest[] {
    return this.requests.filter(({ verb }) => verb !== 'list' && verb !== 'watch' && verb !== 'get');
  }

  /** Installs the CRD of a kind. */
  define(kind: AnyKindDefinition): void {
    this.#user.create(CRDS, { ...compileCrd(kind) });
  }

  /** Changes the CRD of a kind; stored objects stay unchanged. */
  redefine(kind: AnyKindDefinition): void {
    const { spec, metadata } = compileCrd(kind);
    this.#user.patch({ resource: CRDS, name: metadata.name }, { spec });
  }

  /** Creates a namespace. */
  makeNamespace(name: string): void {
    this.#user.create(
      { apiVersion: 'v1', plural: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    );
  }

  /** All objects of a resource in a namespace, or of a cluster-scoped one, sorted by name. */
  all(resource: ApiResource, namespace = homeOf(resource).namespace): readonly ApiObject[] {
    return this.#server.objects({ group: groupOf(resource.apiVersion), plural: resource.plural }, namespace);
  }

  /** All stored objects, by resource. */
  stored(): readonly { readonly resource: string; readonly object: ApiObject }[] {
    const drawers = Object.entries(this.#server.dump()) as [string, readonly ApiObject[]][];
    return drawers.flatMap(([resource, objects]) => objects.map((object) => ({ resource, object })));
  }

  /** One object, which must exist. */
  one(resource: ApiResource, name: string): ApiObject {
    const object = this.all(resource).find((it) => it.metadata.name === name);
    if (!object) throw new InvariantError(`The test expected ${resource.plural} "${name}" to exist`);
    return object;
  }

  /** Reports all events of a resource from now on, as a watch does. */
  follow(resource: ApiResource, onEvent: (event: WatchEvent) => void): void {
    const { resourceVersion } = this;
    this.#server.watch({ resource: resourceNameOf(resource), resourceVersion }, (event) => {
      if (event.type === 'ERROR' || event.type === 'BOOKMARK')
        throw new InvariantError(`Unexpected event ${event.type}`);
      onEvent(event);
    });
  }

  /** Creates an object as another client. */
  put(resource: ApiResource, object: WrittenObject): ApiObject {
    return this.#user.create(resource, object) as unknown as ApiObject;
  }

  /** Changes an object as another client, except for its status. */
  edit(resource: ApiResource, name: string, change: (object: ApiObject) => object): void {
    const body = change(this.one(resource, name));
    this.#user.request({ verb: 'update', resource: resourceNameOf(resource), ...homeOf(resource), name, body });
  }

  /** Writes a whole object as another client. */
  replace(resource: ApiResource, body: KubeObject): void {
    const { name = '', namespace } = body.metadata ?? {};
    this.#user.request({
      verb: 'update',
      resource: resourceNameOf(resource),
      ...(namespace !== undefined && { namespace }),
      name,
      body,
    });
  }

  /** Merges into the status of an object as another client. */
  editStatus(resource: ApiResource, name: string, status: object): void {
    this.#user.patch({ resource, ...homeOf(resource), name }, { status }, { subresource: 'status' });
  }

  /** Deletes an object as another client, without a grace period. */
  vanish(resource: ApiResource, name: string, where = homeOf(resource)): void {
    this.#user.delete({ resource, ...where, name }, { gracePeriodSeconds: 0 });
  }

  /** Deletes an object as another client, with its grace period and finalizers. */
  remove(resource: ApiResource, name: string): void {
    this.#user.delete({ resource, ...homeOf(resource), name });
  }

  /** All stored objects, and the storage version. */
  snapshot(): StorageSnapshot {
    return { version: this.resourceVersion, stored: this.stored().map(({ object }) => object) };
  }

  /**
   * Restores storage from a snapshot. Open watches stay on the lost storage, and deliver no more events.
   *
   * @param version - first version after the restore; older history is compacted. @default that of the snapshot
   */
  restoreStorage({ stored, version: then }: StorageSnapshot, version?: string): void {
    this.#server = createClusterServer(() => this.#timers.trueNow);
    const restore = (object: ApiObject): void => {
      const resource = { apiVersion: object.apiVersion, plural: pluralOf(object) };
      this.#server.restore(resourceNameOf(resource), object as never);
    };
    // Custom resources need their CRDs.
    for (const object of stored.toSorted((a, b) => Number(isDefinition(b)) - Number(isDefinition(a)))) restore(object);
    restore(markerAt(version ?? then));
    if (version !== undefined) this.#server.compact(version);
    this.#user = userOf(this.#server);
    this.#transport = directTransport(this.#server, this.#timers);
  }

  /** Breaks every open watch. */
  breakWatches(): void {
    for (const fail of this.#openWatches) fail(new ConnectionError('the connection broke'));
  }

  #overseen(): VirtualTransport {
    return {
      request: async (request) => {
        const asked = counted(request);
        await this.#arrive(asked);
        const answer = await this.#transport.request({ ...request, body: this.mutate(asked, request.body) });
        const loss = this.loseAnswer(asked);
        if (loss) throw loss;
        return answer;
      },
      watch: async (request, terms, onEvent) => {
        const verb = request.sendInitialEvents === true ? 'list' : 'watch';
        await this.#arrive({ verb, resource: idOf(request.resource), name: '' });
        const cancel = this.sendsBookmarks ? this.#bookmarks(terms, onEvent) : () => {};
        const { promise: broken, reject } = Promise.withResolvers<never>();
        this.#openWatches.add(reject);
        await Promise.race([this.#transport.watch(request, terms, onEvent), broken]).finally(() => {
          this.#openWatches.delete(reject);
          cancel();
        });
      },
    };
  }

  /** Sends bookmarks each minute, and shortly before the end. @returns a function that stops them */
  #bookmarks({ timeoutSeconds }: WatchTerms, onEvent: (event: ServerEvent) => void): () => void {
    const endsAtMs = this.#timers.elapsed() + timeoutSeconds * 1000;
    const server = this.#server;
    const next = (): (() => void) => {
      const lastMs = endsAtMs - LAST_BOOKMARK_MS - this.#timers.elapsed();
      if (lastMs <= 0) return () => {};
      return this.#timers.setTimer(Math.min(lastMs, BOOKMARK_MS), () => {
        // A watch gets no events of restored storage.
        if (server === this.#server)
          onEvent({ type: 'BOOKMARK', object: { metadata: { resourceVersion: this.resourceVersion } } });
        cancel = next();
      });
    };
    let cancel = next();
    return () => cancel();
  }

  async #arrive(request: FakeRequest): Promise<void> {
    this.requests.push(request);
    await this.before(request);
    const refusal = this.refuse(request);
    if (refusal) throw refusal;
  }
}
