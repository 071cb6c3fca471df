import { byText } from '#lib/apiserver/machinery/text/order.ts';
import type { ClusterNode } from '../../nodes/cluster-nodes.ts';
import { availableFrom, isReadyPod, isTerminal } from '../../pod-state.ts';
import type { StoredPod } from '../../workload.ts';
import { scaled } from '../rolling-update.ts';
import { nodeFitness, targetNode } from './daemon-set-nodes.ts';
import { REVISION_HASH } from './revisions.ts';
import type { StoredDaemonSet } from './stored-sets.ts';

/** The pods of a DaemonSet by the names of their nodes. */
export type PodsByNode = ReadonlyMap<string, readonly StoredPod[]>;

/** The state of a DaemonSet at the start of a sync. */
export interface DaemonView {
  readonly set: StoredDaemonSet;
  readonly nodes: readonly ClusterNode[];
  readonly pods: PodsByNode;
  /** The hash of the current template. */
  readonly hash: string;
  readonly now: number;
}

/** The pods to create, by the names of their nodes, and the pods to delete. */
export interface DaemonChanges {
  readonly create: readonly string[];
  readonly remove: readonly StoredPod[];
}

/** No changes. */
export const UNCHANGED: DaemonChanges = { create: [], remove: [] };

const isDeleted = ({ metadata }: StoredPod): boolean => metadata.deletionTimestamp !== undefined;

const isPlaced = ({ spec }: StoredPod): boolean => (spec.nodeName ?? '') !== '';

/** Compares pods: those with a node come first, then the oldest. @see daemon_controller.go (`podByCreationTimestampAndPhase`) */
const byPlaceAndAge = (a: StoredPod, b: StoredPod): number =>
  Number(isPlaced(b)) - Number(isPlaced(a)) ||
  Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
  byText(a.metadata.name, b.metadata.name);

/**
 * Groups pods by node. In a group, scheduled pods come first, then the oldest. Terminated pods that are being deleted, and pods
 * without a target node, are left out.
 */
export const podsByNode = (pods: readonly StoredPod[]): PodsByNode => {
  const groups = new Map<string, StoredPod[]>();
  for (const pod of pods.toSorted(byPlaceAndAge)) {
    const node = targetNode(pod);
    if (node === undefined || (isTerminal(pod) && isDeleted(pod))) continue;
    const group = groups.get(node);
    if (group) group.push(pod);
    else groups.set(node, [pod]);
  }
  return new Map([...groups].toSorted(([a], [b]) => byText(a, b)));
};

/** Whether a pod has been ready for at least `minReadySeconds`. */
export const isAvailableIn = ({ set, now }: DaemonView, pod: StoredPod): boolean =>
  (availableFrom(pod, set.spec.minReadySeconds ?? 0) ?? Infinity) <= now;

/**
 * The maximum number of nodes with an additional pod during a rolling update; 0 for `OnDelete`.
 *
 * @see daemonset_util.go
 * (`SurgeCount`)
 */
export const surgeOf = ({ spec: { updateStrategy } }: StoredDaemonSet, nodes: number): number =>
  updateStrategy?.type === 'RollingUpdate' ? scaled(updateStrategy.rollingUpdate?.maxSurge ?? 0, nodes, Math.ceil) : 0;

/**
 * The surplus pods of a node with surge: all but one old and one new pod. The old pod is surplus, too, if it is not ready or the
 * new pod is available.
 */
const surplusOfSurge = (view: DaemonView, running: readonly StoredPod[]): readonly StoredPod[] => {
  const isNew = ({ metadata }: StoredPod): boolean => metadata.labels?.[REVISION_HASH] === view.hash;
  const [newest, oldest] = [running.find(isNew), running.find((pod) => !isNew(pod))];
  const others = running.filter((pod) => pod !== newest && pod !== oldest);
  if (!newest || !oldest) return others;
  return !isReadyPod(oldest) || isAvailableIn(view, newest) ? [...others, oldest] : others;
};

/**
 * Returns the changes on one node.
 *
 * @param isHeld - whether the deletion of a failed pod must wait
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/daemon_controller.go (`podsShouldBeOnNode`)
 */
const changesOn = (node: ClusterNode, view: DaemonView, isHeld: (node: string) => boolean): DaemonChanges => {
  const { shouldRun, shouldContinue } = nodeFitness(node, view.set);
  const pods = view.pods.get(node.name);
  if (shouldRun && !pods) return { create: [node.name], remove: [] };
  const alive = (pods ?? []).filter((pod) => !isDeleted(pod));
  if (!shouldContinue) return { create: [], remove: alive };
  const ended = alive.filter((pod) => isTerminal(pod) && !(pod.status?.phase === 'Failed' && isHeld(node.name)));
  const running = alive.filter((pod) => !isTerminal(pod));
  if (surgeOf(view.set, 1) === 0) return { create: [], remove: [...ended, ...running.slice(1)] };
  if (running.length > 1) return { create: [], remove: [...ended, ...surplusOfSurge(view, running)] };
  return { create: running.length === 0 && shouldRun ? [node.name] : [], remove: ended };
};

/**
 * Returns the changes that give every matching node one pod. They also delete terminated and surplus pods, and pods on nodes
 * where they must not stay.
 *
 * @param isHeld - whether the deletion of a failed pod on a node must wait
 * @see daemon_controller.go (`manage`)
 */
export const neededChanges = (view: DaemonView, isHeld: (node: string) => boolean): DaemonChanges => {
  const all = view.nodes.map((node) => changesOn(node, view, isHeld));
  const names = new Set(view.nodes.map(({ name }) => name));
  const lost = [...view.pods].flatMap(([node, pods]) => (names.has(node) ? [] : pods.filter((pod) => !isPlaced(pod))));
  return {
    create: all.flatMap(({ create }) => create),
    remove: [...all.flatMap(({ remove }) => remove), ...lost],
  };
};
