import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import type { ApiResponse } from '#test/control-plane/request.ts';

/** Size and version of a resource of one kind. */
interface FleetKind {
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** A spec for `size` pods of the image `nginx` with this tag. */
  readonly spec: (size: number, tag: string) => object;
  /** The nginx tag in a spec; undefined when the kind has its own image. */
  readonly tagOf: (spec: FleetSpec) => string | undefined;
  readonly sizeOf: (spec: FleetSpec) => number;
}

interface FleetSpec {
  readonly replicas?: number;
  readonly suspend?: boolean;
  readonly image?: string;
  readonly deployment?: { readonly replicas: number; readonly version: string };
  readonly template?: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
}

interface Stored {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
  readonly spec: FleetSpec & { readonly containers?: readonly { readonly image: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly observedGeneration?: number;
    }[];
  };
}

const templateOf = (tag: string) => ({ spec: { containers: [{ name: 'main', image: `nginx:${tag}` }] } });
const tagIn = (image: string | undefined): string | undefined => image?.split(':')[1];
const tagOfTemplate = ({ template }: FleetSpec): string | undefined => tagIn(template?.spec.containers[0]?.image);
const replicasOf = ({ replicas = 0 }: FleetSpec): number => replicas;
const APP = 'app.example.com/v1alpha1';
const DEPLOY = 'deploy.example.com/v1alpha1';

/** The kinds of the library. */
const fleetKinds: readonly FleetKind[] = [
  {
    plural: 'podsets',
    apiVersion: APP,
    kind: 'PodSet',
    spec: (replicas, tag) => ({ replicas, template: templateOf(tag) }),
    tagOf: tagOfTemplate,
    sizeOf: replicasOf,
  },
  {
    plural: 'appservices',
    apiVersion: APP,
    kind: 'AppService',
    spec: (replicas) => ({ replicas }),
    tagOf: () => undefined,
    sizeOf: replicasOf,
  },
  {
    plural: 'immortalcontainers',
    apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
    kind: 'ImmortalContainer',
    spec: (size, tag) => ({ image: `nginx:${tag}`, suspend: size < 2 }),
    tagOf: ({ image }) => tagIn(image),
    sizeOf: ({ suspend }) => (suspend ? 0 : 1),
  },
  {
    plural: 'canaryrollouts',
    apiVersion: DEPLOY,
    kind: 'CanaryRollout',
    spec: (replicas, tag) => ({
      replicas,
      template: templateOf(tag),
      steps: [{ percent: 50, sleep: 1 }, { percent: 100 }],
    }),
    tagOf: tagOfTemplate,
    sizeOf: replicasOf,
  },
  {
    plural: 'deployers',
    apiVersion: DEPLOY,
    kind: 'Deployer',
    spec: (replicas, version) => ({
      type: 'canary',
      deployment: { name: 'nginx', image: 'nginx', version, replicas },
      steps: [{ percent: 50, sleep: 1 }, { percent: 100 }],
    }),
    tagOf: ({ deployment }) => deployment?.version,
    sizeOf: ({ deployment }) => deployment?.replicas ?? 0,
  },
];

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const RETRY_MS = 250;

const CHILDREN = ['pods', 'replicasets', 'deployments'] as const;

/** Resources of all kinds in a namespace, and their children. */
export class StorageFleet {
  readonly #plane: ControlPlane;
  readonly #namespace: string;

  constructor(plane: ControlPlane, namespace: string) {
    this.#plane = plane;
    this.#namespace = namespace;
  }

  /** Creates one resource of each kind. */
  async create(name: string, size: number, tag = '1.28'): Promise<void> {
    for (const { kind, apiVersion, spec, plural } of fleetKinds) {
      const metadata = { name: `${name}-${plural}` };
      const given = kind === 'Deployer' ? namedDeployment(spec(size, tag), metadata.name) : spec(size, tag);
      await this.#ask('POST', pathOf(this.#namespace, { apiVersion, plural }), {
        apiVersion,
        kind,
        metadata,
        spec: given,
      });
    }
  }

  /** Changes size or version of one resource of each kind. */
  async change(name: string, size: number, tag = '1.28'): Promise<void> {
    for (const { kind, apiVersion, spec, plural } of fleetKinds) {
      const path = `${pathOf(this.#namespace, { apiVersion, plural })}/${name}-${plural}`;
      const given = kind === 'Deployer' ? namedDeployment(spec(size, tag), `${name}-${plural}`) : spec(size, tag);
      // A patch: the operator may write the status at any time.
      await this.#ask('PATCH', path, { spec: given });
    }
  }

  async remove(name: string): Promise<void> {
    for (const { apiVersion, plural } of fleetKinds)
      await this.#ask('DELETE', `${pathOf(this.#namespace, { apiVersion, plural })}/${name}-${plural}`);
  }

  /** All resources of these kinds. */
  async resources(): Promise<readonly Stored[]> {
    return (await Promise.all(fleetKinds.map(async (kind) => this.#list(kind)))).flat();
  }

  /** Differences between the resources and their children; empty when all is well. */
  async wrong(): Promise<readonly string[]> {
    const kinds = await Promise.all(fleetKinds.map(async (kind) => ({ kind, resources: await this.#list(kind) })));
    const [pods = [], ...between] = await Promise.all(
      CHILDREN.map(async (plural) => this.#list({ apiVersion: plural === 'pods' ? 'v1' : 'apps/v1', plural })),
    );
    const objects = [...kinds.flatMap(({ resources }) => resources), ...between.flat()];
    const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
    const rootOf = (object: Stored): string | undefined => {
      const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
      const found = owner && byUid.get(owner.uid);
      return found ? (rootOf(found) ?? found.metadata.uid) : undefined;
    };
    const living = pods.filter(
      ({ status, metadata }) => metadata.deletionTimestamp === undefined && status?.phase === 'Running',
    );
    const byRoot = Map.groupBy(living, rootOf);
    const stray = (byRoot.get(undefined) ?? []).map(({ metadata }) => `${metadata.name} has no owner`);
    return [
      ...stray,
      ...kinds.flatMap(({ kind, resources }) =>
        resources.flatMap((each) => wrongOf(kind, each, byRoot.get(each.metadata.uid) ?? [])),
      ),
    ];
  }

  async #list(kind: Pick<FleetKind, 'apiVersion' | 'plural'>): Promise<readonly Stored[]> {
    return (await this.#ask<{ readonly items: readonly Stored[] }>('GET', pathOf(this.#namespace, kind))).body.items;
  }

  async #ask<Body>(method: Method, path: string, body?: object): Promise<ApiResponse<Body>> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await this.#plane.request<Body>(method, path, body, { contentType });
    if (answer.status < 300) return answer;
    // The API server is ready before all of its caches are.
    if (answer.status === 429) {
      await sleep(RETRY_MS);
      return this.#ask(method, path, body);
    }
    throw new Error(`Cannot ${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

/** Deployments of Deployers share a namespace. */
const namedDeployment = (spec: object, name: string): object => {
  const { deployment, ...rest } = spec as { readonly deployment: object };
  return { ...rest, deployment: { ...deployment, name } };
};

const pathOf = (namespace: string, { apiVersion, plural }: Pick<FleetKind, 'apiVersion' | 'plural'>): string =>
  `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${namespace}/${plural}`;

const wrongOf = (kind: FleetKind, { metadata, spec, status }: Stored, pods: readonly Stored[]): readonly string[] => {
  const [size, tag] = [kind.sizeOf(spec), kind.tagOf(spec)];
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const others = pods.filter(
    (pod) => tag !== undefined && !pod.spec.containers?.some(({ image }) => tagIn(image) === tag),
  );
  // A suspended resource is not ready, and reports so for the current generation.
  const isReady = size === 0 || ready?.status === 'True';
  return [
    ...(pods.length === size ? [] : [`${metadata.name} has ${pods.length} pods of ${size}`]),
    ...(others.length === 0 ? [] : [`${metadata.name} has ${others.length} pods of another version than ${tag}`]),
    ...(isReady && ready?.observedGeneration === metadata.generation ? [] : [`${metadata.name} is not ready`]),
  ];
};
