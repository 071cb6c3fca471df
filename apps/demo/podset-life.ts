import { waitFor } from '#test/control-plane/poll.ts';
import { applyManifest, indented, kubectl, reported, type Stage, show, statusOf } from './stage.ts';

const place = { resource: 'app.example.com/v1alpha1/podsets', name: 'example-podset' };

interface Status {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly podNames: readonly string[];
}

/** Waits until the operator has reported that all wanted pods, and no others, are there and ready. */
const settled = async (stage: Stage, wanted: number): Promise<void> =>
  reported<Status>(stage, place, ({ replicas, readyReplicas }) => replicas === wanted && readyReplicas === wanted);

const scale = async (stage: Stage, replicas: number): Promise<void> => {
  await kubectl(stage, { args: ['scale', `podset/${place.name}`, `--replicas=${replicas}`] });
  await settled(stage, replicas);
};

/** Deletes the first pod and waits until another one, under another name, is ready in its place. */
const losePod = async (stage: Stage): Promise<void> => {
  const lost = (await statusOf<Status>(stage, place))?.podNames[0] ?? '';
  await kubectl(stage, { args: ['delete', 'pod', lost, '--wait=false'] });
  await waitFor('a replacement', async () => {
    const status = await statusOf<Status>(stage, place);
    return status?.podNames.includes(lost) === false && status.readyReplicas === 2;
  });
};

/** Applies the classic manifest, scales it 3 → 5 → 2, loses a pod, and shows what is left. */
export const playPodSetLife = async (stage: Stage): Promise<void> => {
  await applyManifest(stage, 'test/manifests/podset.yaml');
  await settled(stage, 3);
  await scale(stage, 5);
  await scale(stage, 2);
  await losePod(stage);
  await show(stage, 'get', 'podset,pods');
  const description = await kubectl(stage, { args: ['describe', 'podset', place.name] });
  // Metadata and spec were seen above; the conditions and what happened are the point.
  stage.screen.text(indented(description.slice(description.indexOf('\nStatus:') + 1)));
};
