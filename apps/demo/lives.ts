import { setTimeout as sleep } from 'node:timers/promises';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { LiveObjects } from '#lib/cli/objects/live-objects.ts';
import type { DevCluster } from '#lib/cli/verbs/dev/cluster/dev-cluster.ts';
import type { OnceRunning } from '#lib/cli/verbs/dev/run-once.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { type DemoTools, kubectlOn } from './kubectl.ts';
import { lineOf } from './lines.ts';

const set = { kind: refOf(podSet), name: 'example-podset' };
const immortal = { kind: refOf(immortalContainer), name: 'example-immortalcontainer' };
const immortalPod = { kind: Pod, name: `${immortal.name}-immortalpod` };
const rollout = { kind: refOf(canaryRollout), name: 'example-rollout' };

interface DemoStage extends DemoTools {
  readonly dev: DevCluster;
  readonly kubectl: ReturnType<typeof kubectlOn>;
  readonly objects: LiveObjects;
}

/** Scales a PodSet from 3 to 5 and then to 2 pods. Then deletes a pod; the operator replaces it by a pod with another name. */
const playPodSet = async ({ kubectl, objects }: DemoStage): Promise<void> => {
  const settled = (wanted: number, lost = '') =>
    objects.until(
      set,
      ({ status: { replicas, readyReplicas, podNames } = {} }) =>
        replicas === wanted && readyReplicas === wanted && podNames?.includes(lost) === false,
    );
  await kubectl.apply('test/manifests/podset.yaml');
  await settled(3);
  await kubectl.scale(set, 5);
  await settled(5);
  await kubectl.scale(set, 2);
  const { status } = await settled(2);
  const lost = status?.podNames?.[0] ?? '';
  await kubectl.delete({ kind: Pod, name: lost });
  await settled(2, lost);
};

/** Writes the status that a kubelet writes after the end of a container, because the embedded cluster runs no containers. */
const killContainer = async ({ dev, screen }: DemoStage): Promise<void> => {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const terminated = { exitCode: 137, reason: 'OOMKilled', startedAt: now, finishedAt: now };
  const container = { name: 'acontainer', image: 'nginx:latest', imageID: '', ready: false, restartCount: 0 };
  const status = {
    phase: 'Failed',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: now }],
    containerStatuses: [{ ...container, state: { terminated } }],
  };
  await screen.beat();
  screen.text('');
  screen.event('=', 'the kubelet reports: acontainer ran out of memory and was killed, exit code 137');
  const target = { namespace: dev.cluster.namespace, name: immortalPod.name };
  await dev.cluster.api.patchStatus(Pod, target, { status }, { fieldManager: 'kubelet' });
};

/**
 * Lets an ImmortalContainer lose its container once: in the embedded cluster by a status of the kubelet, elsewhere by a delete
 * of the pod. Waits until the operator has counted the next pod.
 */
const playImmortal = async (stage: DemoStage): Promise<void> => {
  const { dev, kubectl, objects } = stage;
  const running = (starts: number) =>
    objects.until(
      immortal,
      ({ status: { phase, startTimes, readySince } = {} }) =>
        phase === 'Running' && startTimes === starts && readySince !== undefined,
    );
  await kubectl.apply('test/manifests/immortalcontainer.yaml');
  await running(1);
  await kubectl.patch(immortal, { spec: { backoff: { initialSeconds: 2 } } });
  await objects.until(immortal, ({ spec }) => spec.backoff.initialSeconds === 2);
  await (dev.isOurs ? killContainer(stage) : kubectl.delete(immortalPod));
  await running(2);
};

const playRollout = async ({ kubectl, objects }: DemoStage): Promise<void> => {
  const promoted = (versions: number) =>
    objects.until(
      rollout,
      ({ status: { phase, history } = {} }) => phase === 'Healthy' && history?.length === versions,
    );
  await kubectl.apply('test/manifests/canaryrollout.yaml');
  await promoted(1);
  const path = '/spec/template/spec/containers/0/image';
  await kubectl.patch(rollout, [{ op: 'replace', path, value: 'nginx:1.29' }]);
  await promoted(2);
};

const lives = {
  'PodSet: a number of pods. It is scaled, and loses one.': playPodSet,
  'ImmortalContainer: one pod that always comes back, and never twice. It is lost once.': playImmortal,
  'CanaryRollout: a new version comes by steps, here 25 % for 3 s and then all; four pods are ready all the time.':
    playRollout,
};

/** Shows the lives of a PodSet, an ImmortalContainer and a CanaryRollout, one after the other. */
export const playLives = async (
  { dev, failed }: Pick<OnceRunning, 'dev' | 'failed'>,
  { context, screen }: DemoTools,
): Promise<void> => {
  await using objects = new LiveObjects([Pod, set.kind, immortal.kind, rollout.kind], {
    ...dev.cluster,
    failed,
    onError: ({ message }) => screen.text(message),
    onChange: (object, { before, isGone }) => {
      const title = `${object.kind} ${object.metadata.name}`;
      // The line of the rollout already has the numbers of its pods.
      if (title.startsWith(`Pod ${rollout.name}`)) return;
      const line = lineOf(object);
      if (isGone) screen.event('-', `${title}: gone`);
      else if (before === undefined) screen.event('+', `${title}: ${line}`);
      else if (lineOf(before) !== line) screen.event('~', `${title}: ${line}`);
    },
  });
  const kubectl = kubectlOn(dev, { context, screen });
  for (const [title, play] of Object.entries(lives)) {
    screen.title(title);
    await play({ context, dev, screen, kubectl, objects });
    // The watches may receive the last changes a little later.
    await sleep(100);
  }
};
