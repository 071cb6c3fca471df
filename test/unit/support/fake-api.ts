import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { InvariantError, type ReconcileError } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { groupOf, resourceName } from '#lib/kind/reference.ts';
import type { ApiObject, ApiResource, KubeApi, WatchEvent } from '#lib/kube/api.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import type { ResourceName, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { directTransport } from '#lib/sim/world/direct-transport.ts';
import { kubeApiOver, resourceNameOf } from '#lib/sim/world/kube-api.ts';
import type { VirtualTransport } from '#lib/sim/world/transport.ts';
import { type User, userOf } from '#lib/sim/world/user.ts';
import type { ManualTimers } from './manual-timers.ts';

/** One request, as it was counted. */
export interface FakeRequest {
  /** A watch-list counts as `list`. */
  readonly verb: 'list' | 'watch' | 'get' | 'create' | 'apply' | 'patch' | 'patchStatus' | 'delete';
  readonly resource: string;
  readonly name: string;
}

/** Decides whether a request fails, and with what. */
export type Fault = (request: FakeRequest) => ReconcileError | undefined;

/** What others write: metadata is completed by the server. */
export interface WrittenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Where an object of these tests is, unless it is told otherwise. */
const homeOf = ({ scope }: ApiResource): { readonly namespace?: string } =>
  scope === 'Cluster' ? {} : { namespace: NAMESPACE };

const CRDS = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };

/** Where everything in these tests lives. */
const NAMESPACE = 'default';

const nameIn = (body: unknown): string => (body as { readonly metadata: { readonly name: string } }).metadata.name;

const idOf = ({ group, version, plural }: ResourceName): string =>
  resourceName({ apiVersion: group === '' ? version : `${group}/${version}`, plural });

const verbOf = (request: ServerRequest): string => {
  if (request.subresource === 'status') return 'patchStatus';
  return request.verb === 'patch' && request.patchType === 'apply' ? 'apply' : request.verb;
};

const counted = (request: ServerRequest): FakeRequest => ({
  verb: verbOf(request) as FakeRequest['verb'],
  resource: idOf(request.resource),
  name: request.name ?? (request.verb === 'create' ? nameIn(request.body) : ''),
});

/** The virtual API server, with a count of what the loop asks of it, a say in what becomes of that, and the hands of others. */
export class FakeApi {
  /** The way of the loop to the server. */
  readonly client: KubeApi;
  /** Every request that arrived, refused ones included. */
  readonly requests: FakeRequest[] = [];
  /** Refuses a request before anything happens. */
  refuse: Fault = () => undefined;
  /** Carries a request out and fails nevertheless: the answer is lost. */
  loseAnswer: Fault = () => undefined;
  /** Runs when a request has arrived and before it is carried out. */
  before: (request: FakeRequest) => void | Promise<void> = () => undefined;
  readonly #server: ApiServer;
  readonly #user: User;

  /** @param kinds - whose definitions are installed */
  constructor(timers: ManualTimers, kinds: readonly AnyKindDefinition[]) {
    this.#server = createClusterServer(() => timers.trueNow);
    this.#user = userOf(this.#server);
    this.client = kubeApiOver(this.#overseen(directTransport(this.#server, timers)));
    for (const kind of kinds) this.define(kind);
  }

  get resourceVersion(): string {
    return this.#server.resourceVersion;
  }

  /** The requests that change something. */
  get writes(): FakeRequest[] {
    return this.requests.filter(({ verb }) => verb !== 'list' && verb !== 'watch' && verb !== 'get');
  }

  /** Somebody installs the definition of a kind. */
  define(kind: AnyKindDefinition): void {
    this.#user.create(CRDS, { ...compileCrd(kind) });
  }

  /** Somebody changes the definition of a kind; what is stored stays as it is. */
  redefine(kind: AnyKindDefinition): void {
    const { spec, metadata } = compileCrd(kind);
    this.#user.patch({ resource: CRDS, name: metadata.name }, { spec });
  }

  /** Somebody makes a namespace. */
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

  /** Everything that is stored anywhere, by resource. */
  stored(): readonly { readonly resource: string; readonly object: ApiObject }[] {
    const drawers = Object.entries(this.#server.dump()) as [string, readonly ApiObject[]][];
    return drawers.flatMap(([resource, objects]) => objects.map((object) => ({ resource, object })));
  }

  /** One of them, which must exist. */
  one(resource: ApiResource, name: string): ApiObject {
    const object = this.all(resource).find((it) => it.metadata.name === name);
    if (!object) throw new InvariantError(`The test expected ${resource.plural} "${name}" to exist`);
    return object;
  }

  /** Tells of everything that happens to a resource from now on, as a watch would. */
  follow(resource: ApiResource, onEvent: (event: WatchEvent) => void): void {
    const { resourceVersion } = this;
    this.#server.watch({ resource: resourceNameOf(resource), resourceVersion }, (event) => {
      if (event.type === 'ERROR' || event.type === 'BOOKMARK')
        throw new InvariantError(`Nobody asked for ${event.type}`);
      onEvent(event);
    });
  }

  /** Somebody else creates an object. */
  put(resource: ApiResource, object: WrittenObject): ApiObject {
    return this.#user.create(resource, object) as unknown as ApiObject;
  }

  /** Somebody else changes an object, all but its status. */
  edit(resource: ApiResource, name: string, change: (object: ApiObject) => object): void {
    const body = change(this.one(resource, name));
    this.#user.request({ verb: 'update', resource: resourceNameOf(resource), ...homeOf(resource), name, body });
  }

  /** Somebody else merges into the status of an object. */
  editStatus(resource: ApiResource, name: string, status: object): void {
    this.#user.patch({ resource, ...homeOf(resource), name }, { status }, { subresource: 'status' });
  }

  /** Somebody else deletes an object, and no grace period keeps it. */
  vanish(resource: ApiResource, name: string, where = homeOf(resource)): void {
    this.#user.delete({ resource, ...where, name }, { gracePeriodSeconds: 0 });
  }

  /** Somebody else deletes an object, and waits for whoever is to wait. */
  remove(resource: ApiResource, name: string): void {
    this.#user.delete({ resource, ...homeOf(resource), name });
  }

  #overseen(transport: VirtualTransport): VirtualTransport {
    return {
      request: async (request) => {
        const asked = counted(request);
        await this.#arrive(asked);
        const answer = await transport.request(request);
        const loss = this.loseAnswer(asked);
        if (loss) throw loss;
        return answer;
      },
      watch: async (request, terms, onEvent) => {
        const verb = request.sendInitialEvents === true ? 'list' : 'watch';
        await this.#arrive({ verb, resource: idOf(request.resource), name: '' });
        await transport.watch(request, terms, onEvent);
      },
    };
  }

  async #arrive(request: FakeRequest): Promise<void> {
    this.requests.push(request);
    await this.before(request);
    const refusal = this.refuse(request);
    if (refusal) throw refusal;
  }
}
