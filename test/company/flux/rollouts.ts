import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Yaml } from 'cdk8s';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import { hasFailed, readyOf, untilFailed, untilReady } from '#test/company/gitops/flux.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { startInstalledOperator } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { ran } from '#test/unit/cli/run-cli.ts';
import { advisedChecks, advisedFlag } from './page.ts';
import { applyAll, INTERVAL_S, type Resource, type Scene, sourceOf, unitOf, untilInstalled } from './scene.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const UNIT = 'rollouts';
/** A Kustomization with the same contents, without the recommended settings. */
const BARE = 'bare';
/** A step that sleeps, longer than a revert may take. */
const SLEEP_S = 90;

const rollout = (name: string, tag: string, step: object) => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas: 4,
    template: { spec: { containers: [{ name: 'web', image: `nginx:${tag}` }] } },
    steps: [{ percent: 50, ...step }, { percent: 100 }],
  },
});

const commitOf = async ({ git }: Scene, tag: string, step: object): Promise<string> => {
  for (const name of [UNIT, BARE]) {
    await mkdir(join(git.folder, name), { recursive: true });
    // The Kustomization without the settings is unused after the first pause.
    if (name === UNIT || 'pause' in step)
      await writeFile(join(git.folder, name, 'rollout.yaml'), Yaml.stringify(rollout(name, tag, step)));
  }
  return git.push(`version ${tag}`);
};

interface Seen extends Resource {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

const read = async (plane: ControlPlane, name: string): Promise<Seen> =>
  (await plane.request<Seen>('GET', `/apis/deploy.example.com/v1alpha1/namespaces/default/canaryrollouts/${name}`))
    .body;

const tagOf = ({ spec }: Seen): string => spec.template.spec.containers[0]?.image.replace('nginx:', '') ?? '';

const untilPhase = (plane: ControlPlane, name: string, phase: string): Promise<void> =>
  waitFor(`${name} to be ${phase}`, async () => (await read(plane, name)).status?.phase === phase, { pollMs: 250 });

const cli = async (plane: ControlPlane, line: string): Promise<void> => {
  const { signal } = new AbortController();
  const { code, stderr } = await ran(`${line} -n default --kubeconfig ${plane.kubeconfig}`, {
    connect: (choice) => connectTo(choice, { env: {}, signal }),
    cwd: repository,
    now: () => Date.now(),
  });
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`);
};

/**
 * A rollout is paused: the Kustomization with the settings is ready and stays so, the other one fails at its timeout.
 */
const waits = async (scene: Scene): Promise<void> => {
  const { plane } = scene;
  const commit = await commitOf(scene, '1.30', { pause: true });
  await untilPhase(plane, UNIT, 'Paused');
  await untilReady(plane, UNIT, commit);
  const said = await untilFailed(plane, BARE, commit);
  if (!said.includes('timeout')) throw new Error(`The Kustomization without advice failed otherwise: ${said}`);
  const end = Date.now() + 3 * INTERVAL_S * 1000;
  while (Date.now() < end) {
    const ready = await readyOf(plane, UNIT);
    if (hasFailed(ready)) throw new Error(`A rollout that waits failed its Kustomization: ${ready.message}`);
    await sleep(500);
  }
  if ((await read(plane, UNIT)).status?.phase !== 'Paused') throw new Error('The rollout did not wait for the person');
  for (const name of [UNIT, BARE]) await cli(plane, `rollout promote crollout/${name}`);
  await untilPhase(plane, UNIT, 'Healthy');
  await untilReady(plane, UNIT, commit);
};

/**
 * Waits until a version is being rolled out, commits the previous one, and waits until that is in the spec. @returns
 * seconds
 */
const revert = async (scene: Scene, tag: string, inBetween: () => Promise<void>): Promise<number> => {
  const { plane } = scene;
  await commitOf(scene, tag, { sleep: SLEEP_S });
  await waitFor(`${tag} to be on its way`, async () => {
    const seen = await read(plane, UNIT);
    return tagOf(seen) === tag && seen.status?.phase === 'Progressing' && seen.status.percent === 50;
  });
  await inBetween();
  const began = Date.now();
  const commit = await commitOf(scene, '1.30', { sleep: SLEEP_S });
  await waitFor('the revert to arrive', async () => tagOf(await read(plane, UNIT)) === '1.30', { pollMs: 250 });
  const arrivedS = Math.round((Date.now() - began) / 1000);
  await untilPhase(plane, UNIT, 'Healthy');
  await untilReady(plane, UNIT, commit);
  return arrivedS;
};

/** Rollouts that wait for a user, and reverts during rollouts, as docs/gitops.md describes. */
export const rollouts = async (scene: Scene): Promise<string> => {
  const { plane, git, flux } = scene;
  await mkdir(join(git.folder, 'operator'));
  await cp(join(repository, 'synth-out/operator.k8s.yaml'), join(git.folder, 'operator/operator.k8s.yaml'));
  const commit = await commitOf(scene, '1.29', { pause: true });
  const settings = { dependsOn: [{ name: 'operator' }] };
  await applyAll(plane, [
    sourceOf(scene),
    unitOf('operator'),
    unitOf(UNIT, { ...settings, ...(await advisedChecks()) }),
    unitOf(BARE, { ...settings, timeout: '20s' }),
  ]);
  await untilInstalled(plane);
  await using _ = await startInstalledOperator(plane);
  await untilReady(plane, UNIT, commit);
  await waits(scene);
  const abortedS = await revert(scene, '1.31', () => cli(plane, `rollout abort crollout/${UNIT}`));
  await flux.restartKustomize(await advisedFlag());
  const gatedS = await revert(scene, '1.32', async () => undefined);
  if (Math.max(abortedS, gatedS) > SLEEP_S / 2)
    throw new Error(`Reverts arrived after ${abortedS} s and ${gatedS} s: not before the step was over`);
  return `a person is asked and the Kustomization stays ready; a revert arrives after ${abortedS} s behind an abort, ${gatedS} s with the feature gate`;
};
