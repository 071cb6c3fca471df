import type { PodBehavior } from '#lib/controllers/nodes/pod-behavior.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';

const INDEX = 'batch.kubernetes.io/job-completion-index';

/** The first pod that ran a script with a marker file, by host path and index. */
const markers = new Map<string, string>();

interface Scripted {
  readonly volumes?: readonly { readonly hostPath?: { readonly path: string } }[];
}

/**
 * Whether the marker file of a pod existed before its container ran: another pod or an earlier run of the container made the
 * file.
 */
const hasMarker = ({ metadata, spec, status }: StoredPod, index: string): boolean => {
  if ((status?.containerStatuses?.[0]?.restartCount ?? 0) > 0) return true;
  const { volumes = [] } = spec as Scripted;
  const path = volumes.find(({ hostPath }) => hostPath)?.hostPath?.path ?? metadata.uid;
  const key = `${path}/${index}`;
  const first = markers.get(key) ?? metadata.uid;
  markers.set(key, first);
  return first !== metadata.uid;
};

/**
 * The end of a container that runs a script of test/e2e/framework/job/fixtures.go: odd indexes fail, or the first run with a
 * marker file in a volume.
 */
export const scriptEnd = (pod: StoredPod): Partial<PodBehavior> => {
  const [{ command = [], args = [] } = {}] = pod.spec.containers;
  const script = [...command, ...args].join('\n');
  const index = pod.metadata.labels?.[INDEX] ?? '';
  if (script.includes('expr ${JOB_COMPLETION_INDEX} % 2')) return { exitAfterMs: 0, exitCode: Number(index) % 2 };
  if (!script.includes('-r /data/foo')) return {};
  if (hasMarker(pod, index)) return { exitAfterMs: 0, exitCode: 0 };
  const isEndless = script.includes('sleep 1000000');
  return isEndless ? { exitAfterMs: 1_000_000_000 } : { exitAfterMs: 0, exitCode: script.includes('exit 42') ? 42 : 1 };
};
