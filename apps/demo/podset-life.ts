import { podSet } from '#constructs/pod-set/kind.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { applyManifest, type Place, remove, reported, type Stage, scaleTo, statusOf } from './stage.ts';

const place: Place = { resource: refOf(podSet), short: 'podset', name: 'example-podset' };

interface Status {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly podNames: readonly string[];
}

/** Waits until the operator has reported that all wanted pods, and no others, are there and ready. */
const settled = async (stage: Stage, wanted: number): Promise<void> =>
  reported<Status>(stage, place, ({ replicas, readyReplicas }) => replicas === wanted && readyReplicas === wanted);

const scale = async (stage: Stage, replicas: number): Promise<void> => {
  await scaleTo(stage, place, replicas);
  await settled(stage, replicas);
};

/** Deletes the first pod and waits until another one, under another name, is ready in its place. */
const losePod = async (stage: Stage): Promise<void> => {
  const lost = (await statusOf<Status>(stage, place))?.podNames[0] ?? '';
  await remove(stage, { resource: Pod, short: 'pod', name: lost });
  await waitFor('a replacement', async () => {
    const status = await statusOf<Status>(stage, place);
    return status?.podNames.includes(lost) === false && status.readyReplicas === 2;
  });
};

/** Applies the classic manifest, scales it 3 → 5 → 2, and loses a pod. */
export const playPodSetLife = async (stage: Stage): Promise<void> => {
  await applyManifest(stage, 'test/manifests/podset.yaml');
  await settled(stage, 3);
  await scale(stage, 5);
  await scale(stage, 2);
  await losePod(stage);
};
