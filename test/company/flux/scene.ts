import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kstatusOf } from '#test/cluster/kstatus.ts';
import {
  FLUX_NAMESPACE,
  FLUX_USER,
  type FluxProcesses,
  isReadyAt,
  kubectl,
  startFlux,
} from '#test/company/gitops/flux.ts';
import { type GitServer, serveGit } from '#test/company/gitops/git-server.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';

/** The environment of a test: a control plane, Flux, and the repository that it follows. */
export interface Scene {
  readonly plane: ControlPlane;
  readonly flux: FluxProcesses;
  readonly git: GitServer;
}

const ROOM = { 'ephemeral-storage': '100Gi' };

/** Adds ephemeral storage to the fake node, which the operator's pods request. */
const giveRoom = async (plane: ControlPlane): Promise<void> => {
  const [node = ''] = (await kubectl(plane, ['get', 'nodes', '-o', 'name'])).split('\n');
  const patch = JSON.stringify({ status: { capacity: ROOM, allocatable: ROOM } });
  await kubectl(plane, ['patch', node, '--subresource=status', '--type=merge', '-p', patch]);
};

/** Runs a test with a control plane, Flux and a repository. */
export const inScene = async (story: (scene: Scene) => Promise<string>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'company-flux-'));
  try {
    await using plane = await startControlPlane({ users: [FLUX_USER] });
    await giveRoom(plane);
    await using git = await serveGit(folder);
    await using flux = await startFlux(plane, folder);
    return await story({ plane, git, flux });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Seconds between two reconciliations of a Kustomization. */
export const INTERVAL_S = 6;

const metadata = (name: string) => ({ name, namespace: FLUX_NAMESPACE });

/** The source `fleet`: the repository of the scene. */
export const sourceOf = ({ git }: Scene): object => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: metadata('fleet'),
  spec: { interval: '5s', url: git.url, ref: { branch: 'main' } },
});

/** A Kustomization of the folder of its name. */
export const unitOf = (name: string, spec: object = {}): object => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: metadata(name),
  spec: {
    interval: `${INTERVAL_S}s`,
    retryInterval: `${INTERVAL_S}s`,
    timeout: '5m',
    sourceRef: { kind: 'GitRepository', name: 'fleet' },
    path: `./${name}`,
    prune: true,
    wait: true,
    ...spec,
  },
});

/** Applies objects as an administrator. */
export const applyAll = async (plane: ControlPlane, items: readonly object[]): Promise<void> => {
  await kubectl(plane, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
};

/** A custom resource as the API server returns it. */
export interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: { readonly observedGeneration?: number; readonly phase?: string; readonly percent?: number };
}

/** All resources of some kinds in the namespace `default`; none when a kind is not served. */
export const resourcesOf = async (plane: ControlPlane, kinds: string): Promise<readonly Resource[]> => {
  const { stdout } = await plane.kubectl(['get', kinds, '-n', 'default', '-o', 'json']);
  return stdout === '' ? [] : (JSON.parse(stdout) as { readonly items: readonly Resource[] }).items;
};

/** The resources of a Kustomization. */
export interface Expected {
  /** In the notation of kubectl. */
  readonly kinds: string;
  readonly count: number;
  /** The Kustomization of the resources. */
  readonly unit: string;
  readonly commit: string;
}

/** Time without an operator after Flux has applied a change: Flux checks resources every few seconds. */
const AWAY_MS = 15_000;

/**
 * Lets a Kustomization run without operator for a while after its resources have reached a generation.
 *
 * @throws {Error} when it is ready although no operator has run
 */
export const assertWaits = async (
  plane: ControlPlane,
  { kinds, count, unit, commit }: Expected,
  generation: number,
): Promise<void> => {
  await waitFor(`${count} resources of generation ${generation}`, async () => {
    const resources = await resourcesOf(plane, kinds);
    return resources.length === count && resources.every(({ metadata: each }) => each.generation >= generation);
  });
  const end = Date.now() + AWAY_MS;
  while (Date.now() < end) {
    if (await isReadyAt(plane, unit, commit))
      throw new Error(`Kustomization ${unit} was ready before the operator had looked at generation ${generation}`);
    await sleep(500);
  }
};

/**
 * @throws {Error} when a resource of a ready Kustomization is not current, or its status is about an earlier generation
 */
export const assertCurrent = async (plane: ControlPlane, { kinds, count }: Expected): Promise<void> => {
  const resources = await resourcesOf(plane, kinds);
  const wrong = resources.filter(
    (each) => kstatusOf(each) !== 'Current' || each.status?.observedGeneration !== each.metadata.generation,
  );
  if (resources.length !== count || wrong.length > 0)
    throw new Error(
      `The Kustomization is ready with ${resources.length} of ${count} resources; not current: ${JSON.stringify(wrong)}`,
    );
};

/** Waits until the Deployment of the operator is rolled out, with an image that ends with `tag`. */
export const untilInstalled = async (plane: ControlPlane, tag = ''): Promise<void> => {
  await waitFor(
    'the Deployment of the operator to be available',
    async () => {
      const image = ['-o', 'jsonpath={.items[*].spec.template.spec.containers[0].image}'];
      const { stdout } = await plane.kubectl(['-n', OPERATOR, 'get', 'deploy', ...image]);
      if (stdout === '' || !stdout.endsWith(tag)) return false;
      const { code } = await plane.kubectl([
        '-n',
        OPERATOR,
        'rollout',
        'status',
        `deploy/${OPERATOR}`,
        '--watch=false',
      ]);
      if (code !== 0) return false;
      const waited = await plane.kubectl(['-n', OPERATOR, 'wait', '--for=condition=Available', 'deploy', '--all']);
      return waited.code === 0;
    },
    { pollMs: 250 },
  );
};

const BOOKKEEPING = new Set([
  'leases',
  'events',
  'kustomizations',
  'gitrepositories',
  'tokenreviews',
  'subjectaccessreviews',
]);

/** Counts writes of Flux and of the operator, without their own bookkeeping and dry runs. */
export const writesSince = async (plane: ControlPlane, since: Date): Promise<number> => {
  const users = new Set([FLUX_USER.name, OPERATOR_USER]);
  const entries = await plane.auditEntries({ since });
  return entries.filter(
    ({ user, verb, resource, requestURI }) =>
      users.has(user) &&
      !['get', 'list', 'watch'].includes(verb) &&
      !BOOKKEEPING.has(resource) &&
      !requestURI.includes('dryRun'),
  ).length;
};
