import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Yaml } from 'cdk8s';
import { isReadyAt, kubectl, untilFailed, untilReady } from '#test/company/gitops/flux.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { bundleOf } from './bundle.ts';
import type { ReleaseName } from './kinds.ts';
import { type Answers, ask, dryRunIn, listIn } from './reads.ts';
import { type Replicas, serveReplicas } from './replicas.ts';
import {
  applyAll,
  assertCurrent,
  assertWaits,
  type Expected,
  type Scene,
  sourceOf,
  unitOf,
  untilInstalled,
} from './scene.ts';

const UNIT = 'all';
const BOTH = { kinds: 'letters,lockers', unit: UNIT } as const;
/** Duration of pulling an image. */
const PULL_MS = 5000;
/**
 * The longest allowed time without a good answer: the API server recreates the storage of a changed CRD, and the machine is
 * busy.
 */
const PAUSE_MS = 5000;
/** Time between the first good answer and the request that observes it. */
const SLACK_MS = 2000;

const resource = (kind: string, version: string, { name, spec }: { readonly name: string; readonly spec: object }) => ({
  apiVersion: `demo.example.com/${version}`,
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});

const FIRST = resource('Letter', 'v1alpha1', { name: 'first', spec: { text: 'hello' } });
const LOCKER = resource('Locker', 'v1alpha1', { name: 'box', spec: { text: 'secret' } });
const SECOND = resource('Letter', 'v1beta1', { name: 'second', spec: { body: 'hello' } });

interface Play extends Scene {
  readonly replicas: Replicas;
}

/** Commits a release with resources. */
const commitOf = async ({ git, replicas }: Play, release: ReleaseName, resources: readonly object[]) => {
  const folder = join(git.folder, UNIT);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'operator.k8s.yaml'), bundleOf(release, replicas.port));
  await writeFile(join(folder, 'resources.yaml'), Yaml.stringify(...resources));
  return git.push(`release ${release}`);
};

const untilServed = async ({ plane }: Play): Promise<void> => {
  await waitFor('the new version to be served', async () =>
    (await kubectl(plane, ['get', '--raw', '/apis/demo.example.com'])).includes('v1beta1'),
  );
};

const assertNone = (what: string, { failures, message, longestMs }: Answers): void => {
  if (failures > 0 || longestMs > PAUSE_MS)
    throw new Error(`${failures} ${what} failed, ${longestMs} ms without a good answer, at last ${message}`);
};

/**
 * Installs the first release, with a delayed operator: like those of this repository, resources of an author's kind are not
 * ready before their operator has handled them.
 */
const install = async (play: Play): Promise<void> => {
  const { plane, replicas } = play;
  const commit = await commitOf(play, 'one', [FIRST, LOCKER]);
  await applyAll(plane, [sourceOf(play), unitOf(UNIT)]);
  await untilInstalled(plane, ':one');
  const expected: Expected = { ...BOTH, count: 2, commit };
  await assertWaits(plane, expected, 1);
  await replicas.roll('one');
  await untilReady(plane, UNIT, commit);
  await assertCurrent(plane, expected);
  await replicas.stop();
  const edited = { ...FIRST, spec: { text: 'hello again' } };
  const next = { ...expected, kinds: 'letters', count: 1, commit: await commitOf(play, 'one', [edited, LOCKER]) };
  await assertWaits(plane, next, 2);
  await replicas.roll('one');
  await untilReady(plane, UNIT, next.commit);
  await assertCurrent(plane, next);
};

/** Releases the new version as served. @returns the duration of failed lists in the new version, and of the rollout */
const serve = async (play: Play): Promise<string> => {
  const { plane, replicas } = play;
  await using asking = ask({
    lists: listIn(plane, 'v1alpha1'),
    writes: dryRunIn(plane, 'v1alpha1'),
    newer: listIn(plane, 'v1beta1'),
  });
  const commit = await commitOf(play, 'served', [FIRST, LOCKER]);
  await untilServed(play);
  const began = Date.now();
  await untilInstalled(plane, ':served');
  await sleep(PULL_MS);
  await replicas.roll('served');
  const rolledMs = Date.now() - began;
  await untilReady(plane, UNIT, commit);
  await sleep(SLACK_MS);
  const { lists, writes, newer } = await asking.end();
  assertNone('lists in the old version', lists);
  assertNone('writes in the old version', writes);
  if (newer.longestMs > rolledMs + SLACK_MS)
    throw new Error(`No list in the new version for ${newer.longestMs} ms, and it rolled for ${rolledMs} ms`);
  await assertCurrent(plane, { ...BOTH, count: 2, commit });
  return `served: 0 failures in the old version, ${Math.round(newer.longestMs / 1000)} s without a list in the new one (${newer.failures} failures) while it rolled for ${Math.round(rolledMs / 1000)} s`;
};

/** Reverts to the previous release. */
const goBack = async (play: Play): Promise<void> => {
  const { plane, replicas } = play;
  const commit = await commitOf(play, 'one', [FIRST, LOCKER]);
  await untilInstalled(plane, ':one');
  await replicas.roll('one');
  await untilReady(plane, UNIT, commit);
  await assertCurrent(plane, { ...BOTH, count: 2, commit });
};

/** Releases the new version as stored, with a resource in it. */
const store = async (play: Play): Promise<string> => {
  const { plane, replicas } = play;
  const written = await commitOf(play, 'served', [FIRST, LOCKER, SECOND]);
  await untilReady(plane, UNIT, written);
  await using asking = ask({
    lists: listIn(plane, 'v1alpha1'),
    newer: listIn(plane, 'v1beta1'),
    writes: dryRunIn(plane, 'v1alpha1'),
  });
  const commit = await commitOf(play, 'stored', [FIRST, LOCKER, SECOND]);
  await untilInstalled(plane, ':stored');
  await sleep(PULL_MS);
  await replicas.roll('stored');
  await untilReady(plane, UNIT, commit);
  const { lists, newer, writes } = await asking.end();
  assertNone('lists in the old version', lists);
  assertNone('lists in the new version', newer);
  // A replica that ends may abort the conversion of a write.
  if (writes.longestMs > PAUSE_MS)
    throw new Error(`No write in the old version for ${writes.longestMs} ms, at last ${writes.message}`);
  await assertCurrent(plane, { ...BOTH, count: 3, commit });
  return `stored: all lists answered in both, ${writes.failures} writes refused ${writes.message}`.trimEnd();
};

/** Adds a version with functions to one Kustomization, release by release, each of them one commit. */
export const newVersion = async (scene: Scene): Promise<string> => {
  await using replicas = await serveReplicas(scene.plane);
  const play = { ...scene, replicas };
  await install(play);
  const served = await serve(play);
  await goBack(play);
  await serve(play);
  const stored = await store(play);
  return `${served}; back and forth; ${stored}`;
};

/**
 * The wrong order: the new version is stored at once. A single Kustomization does not progress until the bundle is
 * applied by hand.
 */
export const storedTooEarly = async (scene: Scene): Promise<string> => {
  await using replicas = await serveReplicas(scene.plane);
  const play = { ...scene, replicas };
  const { plane } = play;
  const first = await commitOf(play, 'one', [FIRST, LOCKER]);
  await applyAll(plane, [sourceOf(play), unitOf(UNIT)]);
  await untilInstalled(plane, ':one');
  await replicas.roll('one');
  await untilReady(plane, UNIT, first);
  const commit = await commitOf(play, 'stored', [FIRST, LOCKER]);
  const said = await untilFailed(plane, UNIT, commit);
  if (!said.includes('conversion webhook')) throw new Error(`The Kustomization failed otherwise: ${said}`);
  const deployed = await kubectl(plane, ['get', 'deploy', '-n', OPERATOR, '-o', 'yaml']);
  if (deployed.includes(':stored')) throw new Error('The new operator was applied before its webhook was needed');
  const byHand = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
  await kubectl(plane, byHand, bundleOf('stored', replicas.port));
  await untilInstalled(plane, ':stored');
  await replicas.roll('stored');
  await waitFor(`Kustomization ${UNIT} to go on`, () => isReadyAt(plane, UNIT, commit), { pollMs: 250 });
  await assertCurrent(plane, { ...BOTH, count: 2, commit });
  return 'stays where it is; goes on when the bundle is applied by hand';
};
