import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Yaml } from 'cdk8s';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import { INTERVAL_S } from '#test/company/gitops/argo-cd.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { ran } from '#test/unit/cli/run-cli.ts';
import { healthOf, isAt, readApplication, sayApplication, untilAt } from './application.ts';
import { rolloutOf } from './resources.ts';
import { applyApplication, giveScripts, pushRelease, type Scene } from './scene.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const NAME = 'CanaryRollout/web';

interface Rollout {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
  readonly status?: { readonly phase?: string };
}

const read = async ({ plane }: Scene): Promise<Rollout> =>
  (await plane.request<Rollout>('GET', '/apis/deploy.example.com/v1alpha1/namespaces/default/canaryrollouts/web')).body;

const push = (scene: Scene, tag: string): Promise<string> => pushRelease(scene, 'one', Yaml.stringify(rolloutOf(tag)));

/** Runs a command as a user. */
const cli = async ({ plane }: Scene, line: string): Promise<void> => {
  const { signal } = new AbortController();
  const { code, stderr } = await ran(`${line} -n default --kubeconfig ${plane.kubeconfig}`, {
    connect: (choice) => connectTo(choice, { env: {}, signal }),
    cwd: repository,
    now: () => Date.now(),
  });
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`);
};

/** @throws {Error} when the Application or the rollout changes its health within three comparisons */
const assertStays = async (scene: Scene, goal: { readonly commit: string; readonly health: string }): Promise<void> => {
  const end = Date.now() + 3 * INTERVAL_S * 1000;
  while (Date.now() < end) {
    const application = await readApplication(scene.plane);
    const health = (await healthOf(scene.argo)).get(NAME);
    if (!isAt(application, goal) || health !== goal.health)
      throw new Error(`${goal.health} does not last: ${NAME} is ${health}; ${sayApplication(application)}`);
    await sleep(500);
  }
};

const commitOf = async ({ plane }: Scene): Promise<string> =>
  (await readApplication(plane))?.status?.sync?.revision ?? '';

/** @returns seconds until the commit was in the spec */
const revertTo = async (scene: Scene, tag: string): Promise<number> => {
  const began = Date.now();
  const commit = await push(scene, tag);
  await waitFor(
    'the revert to arrive',
    async () => (await read(scene)).spec.template.spec.containers[0]?.image === `nginx:${tag}`,
    { pollMs: 100 },
  );
  const arrivedMs = Date.now() - began;
  await untilAt(scene.plane, { commit });
  return Math.round(arrivedMs / 1000);
};

/** Rollouts that wait for a user are Suspended; the user's command stays, and a commit during a rollout is applied. */
export const rollouts = async (scene: Scene): Promise<string> => {
  const { plane, pods } = scene;
  const first = await push(scene, '1.29');
  await giveScripts(scene);
  await applyApplication(scene);
  pods.pull();
  await untilAt(plane, { commit: first });

  const second = { commit: await push(scene, '1.30'), health: 'Suspended' };
  await untilAt(plane, second);
  await assertStays(scene, second);
  await cli(scene, 'rollout promote crollout/web');
  await untilAt(plane, { commit: second.commit });

  await untilAt(plane, { commit: await push(scene, '1.31'), health: 'Suspended' });
  const arrivedS = await revertTo(scene, '1.30');

  // The spec has one field more than in Git: Argo CD reverts nothing.
  const paused = { commit: await commitOf(scene), health: 'Suspended' };
  await cli(scene, 'rollout pause crollout/web');
  await untilAt(plane, paused);
  await assertStays(scene, paused);
  await cli(scene, 'rollout resume crollout/web');
  await untilAt(plane, { commit: paused.commit });

  const fourth = { commit: await push(scene, '1.32'), health: 'Suspended' };
  await untilAt(plane, fourth);
  await cli(scene, 'rollout abort crollout/web');
  const given = { commit: fourth.commit, health: 'Degraded' };
  await untilAt(plane, given);
  await assertStays(scene, given);
  await revertTo(scene, '1.30');
  return `Suspended while a person is asked, Healthy once promoted; a revert in its midst arrives after ${arrivedS} s; Degraded once aborted, Healthy after the revert`;
};
