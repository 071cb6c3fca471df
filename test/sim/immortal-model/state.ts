import type { Observed } from '#constructs/immortal-container/types.ts';
import { isSame } from '#test/sim/model-key.ts';

/** A pod as the API server has it, or as the operator saw it last. Times are seconds. */
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
  /** The end of its grace period, once it is being deleted. */
  readonly deletion?: number;
}

/** The part of the spec that people edit. */
export interface Asked {
  readonly image: string;
  readonly suspend: boolean;
  readonly generation: number;
}

/**
 * The machine that pods are put on as long as it is well. `lost`: it does not answer, and what runs on it runs on. `vouched`:
 * it is off, and tainted out-of-service. `removed`: it is off, and its object is deleted.
 */
export type NodeState = 'ready' | 'lost' | 'vouched' | 'removed';

/** What is there, or what the operator takes to be there. */
export interface Picture {
  readonly asked: Asked;
  readonly pods: readonly PodObject[];
  readonly node: NodeState;
}

/** How often each accident may still happen. */
export interface Budget {
  /** Containers exit with 0, after a while. */
  readonly completions: number;
  /** Containers exit with 1. */
  readonly failures: number;
  /** Somebody deletes the pod. */
  readonly kills: number;
  /** The machine is lost; whatever follows from that is free. */
  readonly outages: number;
  /** Nobody looks for so many minutes. */
  readonly delays: number;
}

/** A container that runs, whether or not the API server still has its pod. */
export interface Running {
  readonly uid: string;
  readonly node: string;
}

/** Everything that may differ between two moments of an ImmortalContainer. */
export interface ModelState {
  readonly real: Picture;
  /** What watches have brought, and answers to own writes. */
  readonly seen: Picture;
  readonly running: readonly Running[];
  readonly status: Observed['status'];
  /** Uids of pods of ours that a status has named. */
  readonly named: readonly string[];
  /** Pods that the operator deleted before they had ended, each with the generation that it went by. */
  readonly dismissed: readonly { readonly uid: string; readonly generation: number }[];
  /** How many pods were ever made. */
  readonly made: number;
  /** How many edits of the user have been made. */
  readonly edits: number;
  readonly left: Budget;
  readonly now: number;
}

/** So long a pod may take to stop, in seconds. */
export const GRACE = 30;

/** The machine that may be lost. */
export const NODE = 'node-1';
/** The machine that never is lost. */
export const OTHER_NODE = 'node-2';

/** The same picture with another state of one pod; `undefined` for gone. */
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

/** What the API server makes of a deletion; nothing keeps a pod that no kubelet has, or that has ended. */
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

/** A state in one line. */
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
