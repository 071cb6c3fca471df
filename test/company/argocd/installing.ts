import { setTimeout as sleep } from 'node:timers/promises';
import { INTERVAL_S } from '#test/company/gitops/argo-cd.ts';
import { kubectl } from '#test/company/gitops/flux.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import {
  type Application,
  healthOf,
  patchApplication,
  readApplication,
  sayApplication,
  untilAt,
} from './application.ts';
import { LETTER, LOCKER, SAMPLES, samplesAnd } from './resources.ts';
import { applyApplication, giveScripts, pushRelease, type Scene, writesSince } from './scene.ts';

const ALL = [...SAMPLES, 'Letter/first', 'Locker/box'];

/**
 * Delay between the resources and the start of the operator, as if its image were pulled: Argo CD compares more than
 * twice.
 */
const AWAY_MS = 15_000;
const REST_INTERVALS = 10;

const seconds = (sinceMs: number): number => Math.round((Date.now() - sinceMs) / 1000);

/** @throws {Error} when Argo CD shows a resource as healthy before the operator has handled it */
const assertWaits = async ({ plane, argo }: Scene): Promise<void> => {
  await waitFor(
    'Argo CD to have made all resources',
    async () => {
      const health = await healthOf(argo);
      return ALL.every((name) => !['Missing', ''].includes(health.get(name) ?? ''));
    },
    { pollMs: 250 },
  );
  const end = Date.now() + AWAY_MS;
  while (Date.now() < end) {
    const health = await healthOf(argo);
    const early = ALL.filter((name) => health.get(name) !== 'Progressing');
    if (early.length > 0)
      throw new Error(`Without an operator: ${early.map((name) => `${name} is ${health.get(name)}`).join(', ')}`);
    const application = await readApplication(plane);
    if (application?.status?.health?.status === 'Healthy') throw new Error('Healthy before the operator has looked');
    await sleep(500);
  }
};

/**
 * @throws {Error} when the state is not Synced and Healthy for `intervals` comparisons, or when any object is written in this
 *   time
 */
const assertRests = async ({ plane }: Scene, intervals: number): Promise<void> => {
  const since = new Date();
  const compared = new Set<string>();
  const first = (await readApplication(plane))?.status?.reconciledAt;
  await waitFor(
    `${intervals} comparisons`,
    async () => {
      const application = await readApplication(plane);
      const { sync, health, reconciledAt = '' } = application?.status ?? {};
      if (sync?.status !== 'Synced' || health?.status !== 'Healthy')
        throw new Error(`At rest: ${sayApplication(application)}`);
      if (reconciledAt !== first) compared.add(reconciledAt);
      return compared.size >= intervals;
    },
    { pollMs: 250, timeoutMs: intervals * INTERVAL_S * 1000 * 4 },
  );
  const writes = await writesSince(plane, since);
  if (writes.length > 0) throw new Error(`${writes.length} writes at rest: ${[...new Set(writes)].join('; ')}`);
};

/** Changes every sample, without a change that starts a rollout with steps. */
const edited = (text: string, replicas: number): string =>
  text.replaceAll(/replicas: \d+/g, `replicas: ${replicas}`).replace(/image: nginx:latest/, 'image: nginx:1.29');

interface Mode {
  readonly title: string;
  readonly replicas: number;
  readonly syncOptions: readonly string[];
  readonly compareOptions: string | null;
}

/** Modes of apply and of comparison; the tests begin with that of the template, plain server-side apply. */
const MODES: readonly Mode[] = [
  { title: 'client-side apply', replicas: 2, syncOptions: [], compareOptions: null },
  {
    title: 'server-side apply and ServerSideDiff',
    replicas: 4,
    syncOptions: ['ServerSideApply=true'],
    compareOptions: 'ServerSideDiff=true',
  },
  { title: 'server-side apply', replicas: 3, syncOptions: ['ServerSideApply=true'], compareOptions: null },
];

const tryMode = async (scene: Scene, { title, replicas, syncOptions, compareOptions }: Mode): Promise<void> => {
  const { plane } = scene;
  await patchApplication(plane, {
    metadata: { annotations: { 'argocd.argoproj.io/compare-options': compareOptions } },
    spec: { syncPolicy: { syncOptions } },
  });
  const text = edited(await samplesAnd(LETTER, LOCKER), replicas);
  await untilAt(plane, { commit: await pushRelease(scene, 'one', text) }).catch((cause: unknown) => {
    throw new Error(`${title}: ${String(cause)}`, { cause });
  });
  await assertRests(scene, 3);
};

const replicasOf = async ({ plane }: Scene): Promise<string> =>
  kubectl(plane, ['get', 'podset', 'example-podset', '-o', 'jsonpath={.spec.replicas}']);

/**
 * Drift is reverted, objects removed from the repository are deleted, and children of resources are neither tracked nor
 * reported as orphans.
 */
const tidies = async (scene: Scene): Promise<number> => {
  const { plane } = scene;
  const began = Date.now();
  await kubectl(plane, ['scale', 'podset', 'example-podset', '--replicas=5']);
  await waitFor('the replicas of Git', async () => (await replicasOf(scene)) === '3', { pollMs: 100 });
  const healedS = seconds(began);
  const children = await kubectl(plane, ['get', 'pod,deploy,configmap', '-n', 'default', '-o', 'json']);
  if (children.includes('argocd.argoproj.io')) throw new Error('Children carry an annotation of Argo CD');
  const text = edited(await samplesAnd(LETTER), 3);
  await untilAt(plane, { commit: await pushRelease(scene, 'one', text) });
  const left = await kubectl(plane, ['get', 'locker,configmap', '-n', 'default', '-o', 'name']);
  if (left.includes('box')) throw new Error(`A Locker left the repository, and there is ${left}`);
  const { conditions = [] } = (await readApplication(plane))?.status ?? {};
  if (conditions.length > 0) throw new Error(conditions.map(({ type, message }) => `${type}: ${message}`).join('; '));
  return healedS;
};

const syncsOf = (application: Application | undefined): number => application?.status?.history?.length ?? 0;

/** CRDs, operator and resources in the Application that `init` writes. */
export const oneApplication = async (scene: Scene): Promise<string> => {
  const { plane, pods } = scene;
  const commit = await pushRelease(scene, 'one', await samplesAnd(LETTER, LOCKER));
  await giveScripts(scene);
  const began = Date.now();
  await applyApplication(scene);
  await assertWaits(scene);
  pods.pull();
  await untilAt(plane, { commit });
  const tookS = seconds(began);
  await assertRests(scene, REST_INTERVALS);
  const syncs = syncsOf(await readApplication(plane));
  if (syncs !== 1) throw new Error(`${syncs} syncs of one commit`);
  for (const mode of MODES) await tryMode(scene, mode);
  const healedS = await tidies(scene);
  return [
    `Synced and Healthy by one sync after ${tookS} s, ${AWAY_MS / 1000} s of them without an operator`,
    `0 writes in ${REST_INTERVALS} comparisons`,
    ...MODES.map(({ title }) => `Synced with ${title}`),
    `drift taken back in ${healedS} s`,
    'a kind with a finalizer pruned',
    'no orphans',
  ].join(', ');
};
