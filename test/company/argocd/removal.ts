import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ARGO_CD_NAMESPACE, INTERVAL_S } from '#test/company/gitops/argo-cd.ts';
import { kubectl } from '#test/company/gitops/flux.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { APPLICATION, readApplication } from './application.ts';
import type { Scene } from './scene.ts';

/** The finalizer of an external controller on the child of the Locker. */
const SLOW = 'acme.io/slow';

const finalizers = ({ plane }: Scene, names: readonly string[] | null): Promise<string> =>
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

/** Names of existing objects; none when the kinds are not served any more. */
const namesOf = async ({ plane }: Scene, args: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await plane.kubectl(['get', ...args, '-o', 'name', '--ignore-not-found']);
  return stdout.split('\n').filter((name) => name !== '' && !name.endsWith('kube-root-ca.crt'));
};

const definitionsOf = async (scene: Scene): Promise<readonly string[]> =>
  (await namesOf(scene, ['crd'])).filter((name) => !name.includes('argoproj.io'));

/** Argo CD keeps CRDs: deleting one would delete its resources in every namespace. */
const uninstall = async (scene: Scene): Promise<void> => {
  const { plane, git } = scene;
  if ((await definitionsOf(scene)).length === 0)
    throw new Error('Argo CD deletes definitions: docs/gitops.md denies it');
  await kubectl(plane, ['delete', '--ignore-not-found', '-f', join(git.folder, 'synth-out/operator.k8s.yaml')]);
  await waitFor('the definitions to go', async () => (await definitionsOf(scene)).length === 0, { pollMs: 250 });
};

/** Deletes the Application of a finished test, while a child of the Locker is deleted slowly. */
export const removeAll = async (scene: Scene): Promise<string> => {
  const { plane, pods } = scene;
  await finalizers(scene, [SLOW]);
  await kubectl(plane, ['-n', ARGO_CD_NAMESPACE, 'delete', 'application', APPLICATION, '--wait=false']);
  await waitFor('the letters to go', async () => (await namesOf(scene, ['letters'])).length === 0, { pollMs: 250 });
  const end = Date.now() + 2 * INTERVAL_S * 1000;
  while (Date.now() < end) {
    const deployments = await namesOf(scene, ['deploy', '-n', OPERATOR]);
    if (deployments.length === 0 || pods.images().length === 0)
      throw new Error('The operator has gone while a Locker waits for its child');
    await sleep(500);
  }
  if ((await namesOf(scene, ['lockers'])).length !== 1) throw new Error('The Locker did not wait for its child');
  await finalizers(scene, null);
  await waitFor('the Application to go', async () => (await readApplication(plane)) === undefined, { pollMs: 250 });
  await waitFor('the pods of the operator to end', async () => pods.images().length === 0, { pollMs: 250 });
  const left = [
    ...(await namesOf(scene, ['configmap,deploy,rs,pod,secret,controllerrevision', '-n', 'default'])),
    ...(await namesOf(scene, ['namespace', OPERATOR])),
    ...(await namesOf(scene, ['clusterrole,clusterrolebinding'])).filter((name) => name.includes(OPERATOR)),
  ];
  if (left.length > 0) throw new Error(`When the Application is gone, there are ${left.join(', ')}`);
  await uninstall(scene);
  return 'deleted at once: the operator waits for a Locker that goes slowly, then nothing but the definitions is left, and they go as the page says';
};
