import type { ClusterView } from '#lib/sim/world/scenario/scenario.ts';
import { immortalsIn, isLive, ordinalIn, ownerOf, podsIn, type StoredImmortal, type StoredPod } from './views.ts';

/** The status of a resource, and whether it agrees with the pods. */
const immortalInWords = ({ metadata, spec, status }: StoredImmortal, pods: readonly StoredPod[]) => {
  const own = pods.filter((pod) => ownerOf(pod) === metadata.uid);
  const [pod] = own;
  const conditions = status?.conditions.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);
  return {
    name: metadata.name,
    image: spec.image,
    pods: own.length,
    live: own.filter(isLive).length,
    runs: pod?.spec.containers[0]?.image ?? 'nothing',
    status: {
      phase: status?.phase,
      conditions,
      // A suspended resource keeps its counters.
      failures: spec.suspend ? undefined : status?.consecutiveFailures,
      waits: spec.suspend ? undefined : status?.nextStartTime !== undefined,
    },
    isUpToDate: status?.observedGeneration === metadata.generation,
    namesItsPod: status?.currentPodUID === pod?.metadata.uid,
    countsItsPod: pod === undefined || ordinalIn(pod) === 0 || ordinalIn(pod) <= (status?.startTimes ?? 0),
  };
};

/** The resources and their pods at rest. The number of starts depends on the faults. */
export const immortalsAtRest = (view: ClusterView): unknown => {
  const pods = podsIn(view);
  return {
    immortals: immortalsIn(view).map((immortal) => immortalInWords(immortal, pods)),
    foreign: pods.filter((pod) => ownerOf(pod) === undefined).length,
  };
};
