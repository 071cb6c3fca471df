import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { initProject } from '#lib/cli/verbs/init/run.ts';
import { kubectl, removeKustomization, untilReady } from '#test/company/gitops/flux.ts';
import { startInstalledOperator } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import {
  applyAll,
  assertCurrent,
  assertWaits,
  type Expected,
  INTERVAL_S,
  resourcesOf,
  type Scene,
  sourceOf,
  unitOf,
  untilInstalled,
  writesSince,
} from './scene.ts';

const bundle = fileURLToPath(new URL('../../../synth-out', import.meta.url));
const FIVE = { kinds: 'podset,immortalcontainer,canaryrollout,appservice,deployer', count: 5 } as const;

/** Time in which Flux checks everything ten times. */
const REST_MS = 10 * INTERVAL_S * 1000;

const seconds = (sinceMs: number): number => Math.round((Date.now() - sinceMs) / 1000);

/** Changes every kind in a way that needs no rollout steps. */
const edited = (samples: string): string =>
  samples.replaceAll(/replicas: \d+/g, 'replicas: 2').replace('image: nginx:latest', 'image: nginx:1.29');

/** CRDs, operator and resources in one Kustomization: first apply, rest, edit, and removal. */
export const oneUnit = async (scene: Scene): Promise<string> => {
  const { plane, git } = scene;
  const folder = join(git.folder, 'all');
  await cp(bundle, folder, { recursive: true });
  const commit = await git.push('the bundle and its samples');
  const began = Date.now();
  await applyAll(plane, [sourceOf(scene), unitOf('all')]);
  await untilInstalled(plane);
  const expected: Expected = { ...FIVE, unit: 'all', commit };
  await assertWaits(plane, expected, 1);
  const operator = await startInstalledOperator(plane);
  await untilReady(plane, 'all', commit);
  await assertCurrent(plane, expected);
  const tookS = seconds(began);
  const since = new Date();
  await sleep(REST_MS);
  const writes = await writesSince(plane, since);
  if (writes > 0) throw new Error(`${writes} writes in ${REST_MS} ms at rest`);
  await operator.stop();
  const samples = join(folder, 'samples.k8s.yaml');
  await writeFile(samples, edited(await readFile(samples, 'utf8')));
  const second = { ...expected, commit: await git.push('another generation of every resource') };
  await assertWaits(plane, second, 2);
  await using _ = await startInstalledOperator(plane);
  await untilReady(plane, 'all', second.commit);
  await assertCurrent(plane, second);
  await removeKustomization(plane, 'all');
  await waitFor('the resources to go', async () => (await resourcesOf(plane, FIVE.kinds)).length === 0);
  return `ready at the first try after ${tookS} s, 0 writes in 10 intervals at rest, an edit waits for the operator, removed`;
};

/** The layout that `init --gitops flux` writes, with the bundle of this repository. */
export const layout = async ({ plane, git }: Scene): Promise<string> => {
  const project = join(git.folder, '../company');
  await initProject({ folder: project, kind: 'Sample', group: 'apps.example.com', gitops: 'flux' });
  await mkdir(join(git.folder, 'gitops'), { recursive: true });
  await cp(join(project, 'gitops'), join(git.folder, 'gitops'), { recursive: true });
  await cp(bundle, join(git.folder, 'synth-out'), { recursive: true });
  const path = join(git.folder, 'gitops/flux.yaml');
  const text = await readFile(path, 'utf8');
  const own = text
    .replace(/url: .*/, `url: ${git.url}`)
    .replaceAll(/(?:retryI|i)nterval: \w+/g, (all) => all.replace(/\w+$/, '10s'));
  await writeFile(path, own);
  const commit = await git.push('as init writes it');
  await kubectl(plane, ['apply', '-f', path]);
  await untilInstalled(plane);
  const expected: Expected = { ...FIVE, unit: 'company-resources', commit };
  await assertWaits(plane, expected, 1);
  await using _ = await startInstalledOperator(plane);
  await untilReady(plane, 'company-operator', commit);
  await untilReady(plane, 'company-resources', commit);
  await assertCurrent(plane, expected);
  await removeKustomization(plane, 'company-resources');
  const left = await resourcesOf(plane, FIVE.kinds);
  if (left.length > 0) throw new Error(`${left.length} resources are left when their Kustomization is gone`);
  await removeKustomization(plane, 'company-operator');
  await waitFor('the definitions to go', async () => {
    const { stdout } = await plane.kubectl(['get', 'crd', '-o', 'name']);
    return !stdout.includes('podsets.app.example.com');
  });
  return 'ready, and removed in order';
};
