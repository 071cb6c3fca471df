import { isReadyPod, isTerminal } from '#lib/controllers/pod-state.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import { shortHash } from '#lib/desired/canonical/canonical.ts';

/** The state of a pod in the story of its resource. */
export interface PodState {
  /** Uid of the topmost owner; empty for a pod without one. */
  readonly root: string;
  readonly revision: string;
  readonly images: readonly string[];
  readonly verb: 'created' | 'ready' | 'not ready' | 'terminating' | 'over' | 'failed';
}

const HASH_LENGTH = 5;

/** Labels and annotations that identify the revision of a pod. The most common labels come first. */
const MARKS = [/^controller-revision-hash$/, /^pod-template-hash$/, /(?:^|[/.-])revision$/, /(?:^|[/.-])hash$/];

const revisionOf = ({ metadata, spec }: StoredPod): string => {
  const marks = [...Object.entries(metadata.labels ?? {}), ...Object.entries(metadata.annotations ?? {})].toSorted(
    ([a], [b]) => (a < b ? -1 : Number(a > b)),
  );
  for (const pattern of MARKS) {
    const found = marks.find(([name]) => pattern.test(name));
    if (found !== undefined) return found[1];
  }
  return shortHash(
    spec.containers.map(({ name, image }) => [name, image]),
    HASH_LENGTH,
  );
};

const verbOf = (pod: StoredPod, before: PodState | undefined): PodState['verb'] => {
  if (pod.status?.phase === 'Failed') return 'failed';
  if (isTerminal(pod)) return 'over';
  if (pod.metadata.deletionTimestamp !== undefined) return 'terminating';
  if (isReadyPod(pod)) return 'ready';
  return before === undefined || before.verb === 'created' ? 'created' : 'not ready';
};

/**
 * Derives the state of a pod for the story of its resource.
 *
 * @param root - uid of the topmost owner of the pod
 * @param before - the previous state of the pod
 */
export const podStateOf = (pod: StoredPod, root: string, before?: PodState): PodState => ({
  root,
  revision: revisionOf(pod),
  images: pod.spec.containers.map(({ image = '' }) => image),
  verb: verbOf(pod, before),
});
