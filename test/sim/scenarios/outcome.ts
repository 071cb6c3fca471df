import type { ClusterView } from '#lib/sim/world/scenario/scenario.ts';
import { isActive, podSetsIn, podsIn, type StoredPod, type StoredPodSet, setUidOf } from './views.ts';

const isReady = ({ status }: StoredPod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;

/** The status of a set, and whether it agrees with the pods. */
const setInWords = (set: StoredPodSet, pods: readonly StoredPod[]) => {
  const { metadata, spec, status } = set;
  const own = pods.filter((pod) => setUidOf(pod) === metadata.uid);
  const active = own.filter(isActive);
  const conditions = status?.conditions.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);
  return {
    name: metadata.name,
    asked: spec.replicas,
    // Failed pods may be kept for inspection.
    pods: own.filter(({ status: { phase } = {} }) => phase !== 'Failed').length,
    active: active.length,
    ready: active.filter(isReady).length,
    status: { replicas: status?.replicas, readyReplicas: status?.readyReplicas, conditions },
    isUpToDate: status?.observedGeneration === metadata.generation,
    listsItsPods:
      active
        .map((pod) => pod.metadata.name)
        .toSorted()
        .join() === status?.podNames.join(),
  };
};

/** The sets and their pods at rest. Names of pods are left out: which pods stay depends on the schedule. */
export const setsAtRest = (view: ClusterView): unknown => {
  const pods = podsIn(view);
  const uids = new Set(podSetsIn(view).map(({ metadata }) => metadata.uid));
  return {
    sets: podSetsIn(view).map((set) => setInWords(set, pods)),
    foreign: pods.filter((pod) => setUidOf(pod) === undefined).length,
    orphans: pods.filter((pod) => !uids.has(setUidOf(pod) ?? '') && setUidOf(pod) !== undefined).length,
  };
};
