import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';

/** A resource of the API, as in paths. */
export interface Served {
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
}

/** The fields of a stored object that tests read. */
export interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly uid: string;
      readonly controller?: boolean;
    }[];
  };
  readonly spec?: { readonly nodeName?: string; readonly containers?: readonly { readonly image: string }[] };
  readonly status?: Readonly<Record<string, unknown>>;
}

const APP = 'app.example.com/v1alpha1';
const DEPLOY = 'deploy.example.com/v1alpha1';

/** The kinds of the library. */
export const resources = {
  podSet: { plural: 'podsets', apiVersion: APP, kind: 'PodSet' },
  appService: { plural: 'appservices', apiVersion: APP, kind: 'AppService' },
  immortal: {
    plural: 'immortalcontainers',
    apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
    kind: 'ImmortalContainer',
  },
  canary: { plural: 'canaryrollouts', apiVersion: DEPLOY, kind: 'CanaryRollout' },
  deployer: { plural: 'deployers', apiVersion: DEPLOY, kind: 'Deployer' },
} as const satisfies Readonly<Record<string, Served>>;

/** The kinds of their children, in the order in which a backup tool restores them. */
export const children: readonly Served[] = [
  { plural: 'pods', apiVersion: 'v1', kind: 'Pod' },
  { plural: 'replicasets', apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { plural: 'controllerrevisions', apiVersion: 'apps/v1', kind: 'ControllerRevision' },
  { plural: 'deployments', apiVersion: 'apps/v1', kind: 'Deployment' },
];

const RETRY_MS = 250;

/** The objects of a namespace. */
export class Shop {
  readonly namespace: string;
  readonly #plane: ControlPlaneClient;

  constructor(plane: ControlPlaneClient, namespace: string) {
    this.#plane = plane;
    this.namespace = namespace;
  }

  async list({ plural, apiVersion, kind }: Served): Promise<readonly Stored[]> {
    const { items } = await this.#ask<{ readonly items: readonly Stored[] }>('GET', { plural, apiVersion, kind });
    return items.map((item) => ({ ...item, apiVersion, kind }));
  }

  async one(served: Served, name: string): Promise<Stored> {
    return this.#ask<Stored>('GET', served, { name });
  }

  async create(served: Served, name: string, spec: object): Promise<void> {
    const { apiVersion, kind } = served;
    await this.#ask('POST', served, { body: { apiVersion, kind, metadata: { name }, spec } });
  }

  /** Restores an object. An existing object of its name stays unchanged. */
  async restore(served: Served, object: object): Promise<void> {
    await this.#ask('POST', served, { body: object, accepts: [409] });
  }

  async patch(served: Served, name: string, spec: object): Promise<void> {
    await this.#ask('PATCH', served, { name, body: { spec } });
  }

  async writeStatus(served: Served, name: string, status: object): Promise<void> {
    await this.#ask('PATCH', served, { name: `${name}/status`, body: { status } });
  }

  async remove(served: Served, name: string): Promise<void> {
    await this.#ask('DELETE', served, { name });
  }

  async #ask<Body>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    { plural, apiVersion }: Served,
    { name, body, accepts = [] }: { name?: string; body?: object; accepts?: readonly number[] } = {},
  ): Promise<Body> {
    const root = `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${this.namespace}/${plural}`;
    const path = name === undefined ? root : `${root}/${name}`;
    const options = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    const answer = await this.#plane.request<Body>(method, path, body, options);
    if (answer.status < 300 || accepts.includes(answer.status)) return answer.body;
    if (answer.status !== 429)
      throw new Error(`Cannot ${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    await sleep(RETRY_MS);
    return this.#ask(
      method,
      { plural, apiVersion, kind: '' },
      { ...(name !== undefined && { name }), ...(body && { body }), accepts },
    );
  }
}
