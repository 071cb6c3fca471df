import { fileURLToPath } from 'node:url';
import { type ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { Screen } from './screen.ts';

/** Where the life of the PodSet is played. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly namespace: string;
  readonly screen: Screen;
}

/** The classic manifest, as it has always been. */
const manifest = fileURLToPath(new URL('../../test/manifests/podset.yaml', import.meta.url));
const NAME = 'example-podset';

interface PodSetBody {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas: number;
    readonly readyReplicas: number;
    readonly podNames: readonly string[];
  };
}

const readPodSet = async ({ plane, namespace }: Stage): Promise<PodSetBody> => {
  const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets/${NAME}`;
  return (await plane.request<PodSetBody>('GET', path)).body;
};

const kubectl = async (
  { plane, namespace, screen }: Stage,
  shown: string,
  args: readonly string[],
): Promise<string> => {
  screen.command(`kubectl -n ${namespace} ${shown}`);
  const { code, stdout, stderr } = await plane.kubectl(['-n', namespace, ...args]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${stderr}`);
  return stdout;
};

/** Waits until the operator has reported that all wanted pods, and no others, are there and ready. */
const settled = async (stage: Stage, replicas: number): Promise<void> =>
  waitFor(`${replicas} ready pods`, async () => {
    const { metadata, status } = await readPodSet(stage);
    const seen = status?.observedGeneration === metadata.generation;
    return seen && status.replicas === replicas && status.readyReplicas === replicas;
  });

const scale = async (stage: Stage, replicas: number): Promise<void> => {
  const text = `scale podset/${NAME} --replicas=${replicas}`;
  await kubectl(stage, text, text.split(' '));
  await settled(stage, replicas);
};

/** Deletes the first pod and waits until another one, under another name, is ready in its place. */
const losePod = async (stage: Stage): Promise<void> => {
  const lost = (await readPodSet(stage)).status?.podNames[0] ?? '';
  const text = `delete pod ${lost} --wait=false`;
  await kubectl(stage, text, text.split(' '));
  await waitFor('a replacement', async () => {
    const { status } = await readPodSet(stage);
    return status?.podNames.includes(lost) === false && status.readyReplicas === 2;
  });
};

const indented = (text: string): string => text.trimEnd().replace(/^/gm, '            ');

/** Applies the classic manifest, scales it 3 → 5 → 2, loses a pod, and shows what is left. */
export const playPodSetLife = async (stage: Stage): Promise<void> => {
  await kubectl(stage, 'apply -f test/manifests/podset.yaml', ['apply', '-f', manifest]);
  await settled(stage, 3);
  await scale(stage, 5);
  await scale(stage, 2);
  await losePod(stage);
  const table = await kubectl(stage, `get podset,pods`, ['get', 'podset,pods']);
  stage.screen.text(indented(table));
  const description = await kubectl(stage, 'describe podset', ['describe', 'podset', 'example-podset']);
  // Metadata and spec were seen above; the conditions and what happened are the point.
  stage.screen.text(indented(description.slice(description.indexOf('\nStatus:') + 1)));
};
