import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Yaml } from 'cdk8s';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import { FLUX_NAMESPACE, kubectl, removeKustomization, untilReady } from '#test/company/gitops/flux.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { ran } from '#test/unit/cli/run-cli.ts';
import { bundleOf } from './bundle.ts';
import { advisedChecks } from './page.ts';
import { type Replicas, serveReplicas } from './replicas.ts';
import { applyAll, resourcesOf, type Scene, sourceOf, unitOf, untilInstalled } from './scene.ts';

const LOCKER = {
  apiVersion: 'demo.example.com/v1alpha1',
  kind: 'Locker',
  metadata: { name: 'box', namespace: 'default' },
  spec: { text: 'secret' },
};

const rollout = (image: string) => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  metadata: { name: 'checkout', namespace: 'default' },
  spec: {
    replicas: 2,
    template: { spec: { containers: [{ name: 'web', image }] } },
    steps: [{ percent: 50, pause: true }],
  },
});

const SLOW = 'company.example.com/slow';

interface Play extends Scene {
  readonly replicas: Replicas;
}

const write = async ({ git, replicas }: Play, paths: { readonly bundle: string; readonly resources: string }) => {
  for (const name of new Set(Object.values(paths))) await mkdir(join(git.folder, name), { recursive: true });
  await writeFile(join(git.folder, paths.bundle, 'operator.k8s.yaml'), bundleOf('one', replicas.port));
  const resources = async (image: string, message: string): Promise<string> => {
    await writeFile(join(git.folder, paths.resources, 'resources.yaml'), Yaml.stringify(LOCKER, rollout(image)));
    return git.push(message);
  };
  return resources;
};

/** Creates a Locker, and a rollout that is paused at a step. */
const untilPaused = async ({ plane }: Play): Promise<void> => {
  await waitFor('the rollout to pause', async () =>
    (await resourcesOf(plane, 'canaryrollouts')).some(({ status }) => status?.phase === 'Paused'),
  );
};

const finalizers = (plane: ControlPlane, names: readonly string[] | null) =>
  kubectl(plane, [
    '-n',
    'default',
    'patch',
    'configmap',
    'box-locker',
    '--type=merge',
    '-p',
    JSON.stringify({ metadata: { finalizers: names } }),
  ]);

const assertNothing = async (plane: ControlPlane, what: string): Promise<void> => {
  const left = await kubectl(plane, ['-n', 'default', 'get', 'configmap,deploy,pod', '-o', 'name']);
  const own = left.split('\n').filter((line) => line !== '' && !line.endsWith('kube-root-ca.crt'));
  if (own.length > 0) throw new Error(`${what}: ${own.join(', ')} are left`);
};

const untilUninstalled = async (plane: ControlPlane): Promise<void> => {
  await waitFor(
    'the definitions to go',
    async () => !(await kubectl(plane, ['get', 'crd', '-o', 'name'])).includes('example.com'),
    { pollMs: 250 },
  );
};

/** Deletes two Kustomizations, first that of the resources, while a child is deleted slowly. */
const inOrder = async (play: Play): Promise<void> => {
  const { plane, replicas } = play;
  const push = await write(play, { bundle: 'operator', resources: 'resources' });
  const commit = await push('web:1', 'operator and resources');
  const settings = {
    dependsOn: [{ name: 'operator' }],
    deletionPolicy: 'WaitForTermination',
    ...(await advisedChecks()),
  };
  await applyAll(plane, [sourceOf(play), unitOf('operator'), unitOf('resources', settings)]);
  await untilInstalled(plane);
  await replicas.roll('one');
  await untilReady(plane, 'resources', commit);
  const next = await push('web:2', 'the next version');
  await untilPaused(play);
  await untilReady(plane, 'resources', next);
  await finalizers(plane, [SLOW]);
  const removed = removeKustomization(plane, 'resources');
  await waitFor('the resources to be deleted', async () => (await resourcesOf(plane, 'canaryrollouts')).length === 0);
  await sleep(5000);
  if ((await resourcesOf(plane, 'lockers')).length !== 1) throw new Error('The Locker did not wait for its child');
  await finalizers(plane, null);
  await removed;
  await waitFor('the children to go', async () =>
    assertNothing(plane, 'Removed in order').then(
      () => true,
      () => false,
    ),
  );
  await removeKustomization(plane, 'operator');
  await replicas.stop();
  await untilUninstalled(plane);
};

/** Runs doctor while deletions are pending. */
const doctor = async ({ plane, git }: Play): Promise<string> => {
  const config = join(git.folder, '../reconcile.config.ts');
  const kinds = pathToFileURL(join(import.meta.dirname, 'kinds.ts')).href;
  await writeFile(config, `import { RELEASES } from '${kinds}';\nexport default { kinds: RELEASES.one };\n`);
  const { signal } = new AbortController();
  const { stdout, stderr } = await ran(`doctor --config ${config} --kubeconfig ${plane.kubeconfig}`, {
    connect: (choice) => connectTo(choice, { env: {}, signal }),
    now: () => Date.now(),
  });
  return `${stdout}${stderr}`;
};

/** Expected output: what blocks what, why, and the remedy. */
const WORDS = [
  'lockers.demo.example.com is being deleted',
  'no operator of cdk8s-reconcile is installed',
  '1 of kind Locker wait to be deleted for the finalizer demo.example.com/cdk8s-reconcile',
  'default/box',
  'install the operator with its rights again',
];

/** Deletes one Kustomization: Flux deletes the operator a moment after its resources. */
const atOnce = async (play: Play): Promise<void> => {
  const { plane, replicas } = play;
  const push = await write(play, { bundle: 'all', resources: 'all' });
  const commit = await push('web:1', 'all in one');
  await applyAll(plane, [unitOf('all', await advisedChecks())]);
  await untilInstalled(plane);
  await replicas.roll('one');
  await untilReady(plane, 'all', commit);
  const next = await push('web:2', 'the next version');
  await untilPaused(play);
  await untilReady(plane, 'all', next);
  await finalizers(plane, [SLOW]);
  await kubectl(plane, ['-n', FLUX_NAMESPACE, 'delete', 'kustomization', 'all', '--timeout=120s']);
  await replicas.stop();
  await finalizers(plane, null);
  await waitFor('the rollout to go', async () => (await resourcesOf(plane, 'canaryrollouts')).length === 0);
  await sleep(5000);
  const said = await doctor(play);
  for (const words of WORDS) if (!said.includes(words)) throw new Error(`doctor does not say "${words}":\n${said}`);
};

/** Follows the advice of doctor. */
const heal = async ({ plane, replicas }: Play): Promise<void> => {
  await waitFor('the bundle to be accepted', async () => {
    const input = bundleOf('one', replicas.port);
    return (await plane.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input })).code === 0;
  });
  await replicas.roll('one');
  await waitFor('the Locker to go', async () => (await resourcesOf(plane, 'lockers')).length === 0);
  await assertNothing(plane, 'The operator is back');
};

/**
 * Removes everything. With two Kustomizations in order, the removal completes. With one Kustomization, the operator is deleted
 * first, and `doctor` reports what is left and why.
 */
export const removal = async (scene: Scene): Promise<string> => {
  await using replicas = await serveReplicas(scene.plane);
  const play = { ...scene, replicas };
  await inOrder(play);
  await atOnce(play);
  await heal(play);
  return 'in order: nothing left, with a paused rollout and a slow finalizer; at once: doctor names the Locker, and its advice ends it';
};
