import type { Observed } from '#constructs/immortal-container/types.ts';
import { isSame } from '#test/sim/model-key.ts';

/** A pod as the API server has it, or as the operator saw it last. Times are in seconds. */
export interface PodObject {
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly image: string;
  readonly createdAt: number;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly node?: string;
  readonly readySince?: number;
  readonly exit?: { readonly code: number; readonly at: number };
  /** End of the grace period of a pod that is being deleted. */
  readonly deletion?: number;
}

/** The part of the spec that users edit. */
export interface Asked {
  readonly image: string;
  readonly suspend: boolean;
  readonly generation: number;
}

/**
 * The machine of new pods while it is well. `lost`: the machine does not answer, and its containers keep running. `vouched`:
 * the machine is off, and its node is tainted out-of-service. `removed`: the machine is off, and its node is deleted.
 */
export type NodeState = 'ready' | 'lost' | 'vouched' | 'removed';

/** The state of the cluster, or the operator's view of it. */
export interface Picture {
  readonly asked: Asked;
  readonly pods: readonly PodObject[];
  readonly node: NodeState;
}

/** How often each accident may still happen. */
export interface Budget {
  /** Containers exit with 0 after a while. */
  readonly completions: number;
  /** Containers exit with 1. */
  readonly failures: number;
  /** A user deletes the pod. */
  readonly kills: number;
  /** The machine is lost; events that follow from that are unlimited. */
  readonly outages: number;
  /** No pass happens for some minutes. */
  readonly delays: number;
}

/** A running container, whether or not its pod still exists. */
export interface Running {
  readonly uid: string;
  readonly node: string;
}

/** The complete state of a model of an ImmortalContainer. */
export interface ModelState {
  readonly real: Picture;
  /** The view from watches and from answers to own writes. */
  readonly seen: Picture;
  readonly running: readonly Running[];
  readonly status: Observed['status'];
  /** Uids of pods of ours that a status has named. */
  readonly named: readonly string[];
  /** Pods that the operator deleted before they had ended, each with the generation that it acted on. */
  readonly dismissed: readonly { readonly uid: string; readonly generation: number }[];
  /** Number of pods created so far. */
  readonly made: number;
  /** Number of the user's edits so far. */
  readonly edits: number;
  readonly left: Budget;
  readonly now: number;
}

/** Time that a pod may take to stop, in seconds. */
export const GRACE = 30;

/** The machine that may be lost. */
export const NODE = 'node-1';
/** The machine that is never lost. */
export const OTHER_NODE = 'node-2';

/** A picture with another state of one pod; `undefined` for a deleted pod. */
export const withPod = (picture: Picture, { name }: { readonly name: string }, pod: PodObject | undefined): Picture => {
  const others = picture.pods.filter((it) => it.name !== name);
  const pods = pod === undefined ? others : [...others, pod].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { ...picture, pods };
};

/** A change of a pod, which gives it another version. */
export const changed = (pod: PodObject, change: Partial<PodObject>): PodObject => ({
  ...pod,
  ...change,
  version: pod.version + 1,
});

/** True for a pod whose containers have ended for good. */
export const hasEnded = ({ phase }: PodObject): boolean => phase === 'Succeeded' || phase === 'Failed';

/** The API server's handling of a deletion: a pod that has ended, or that no kubelet has, is removed at once. */
export const deleted = (pod: PodObject, { now, force }: { now: number; force: boolean }): PodObject | undefined =>
  force || pod.node === undefined || hasEnded(pod) ? undefined : changed(pod, { deletion: now + GRACE });

const podInWords = ({ name, uid, version, image, phase, node, readySince, deletion }: PodObject): string =>
  [
    `${name} ${uid}.${version} ${image} ${phase}`,
    ...(node === undefined ? [] : [`on ${node}`]),
    ...(readySince === undefined ? [] : ['ready']),
    ...(deletion === undefined ? [] : [`terminating until ${deletion}`]),
  ].join(' ');

const pictureInWords = ({ asked, pods, node }: Picture): string =>
  `${asked.image}${asked.suspend ? ' suspended' : ''}, ${node}, ${pods.map(podInWords).join(' + ') || 'no pod'}`;

/** Formats a state in one line. */
export const inWords = ({ real, seen, running, status, now }: ModelState): string => {
  const { phase = '-', startTimes = 0, consecutiveFailures = 0, currentPodUID = '-', lastExit } = status ?? {};
  const exit = lastExit === undefined ? '-' : `${lastExit.podUID} ${lastExit.reason}`;
  const seenAs = isSame(seen, real) ? 'the same' : pictureInWords(seen);
  return [
    `${now} s: ${pictureInWords(real)}`,
    `runs ${running.map(({ uid }) => uid).join('+') || 'nothing'}`,
    `seen ${seenAs}`,
    `status ${phase}, ${startTimes} starts, ${consecutiveFailures} failures, pod ${currentPodUID}, exit ${exit}`,
  ].join(' | ');
};
