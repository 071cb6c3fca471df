import type { StoredPod } from '../../workload.ts';
import { scaled } from '../rolling-update.ts';
import { nodeFitness } from './daemon-set-nodes.ts';
import { type DaemonChanges, type DaemonView, isAvailableIn, surgeOf, UNCHANGED } from './daemon-set-pods.ts';
import { REVISION_HASH } from './revisions.ts';
import type { StoredDaemonSet } from './stored-sets.ts';

/** The label of a pod with the template generation of its DaemonSet. */
export const TEMPLATE_GENERATION = 'pod-template-generation';

/** Returns the template generation from the annotation that the API server maintains; undefined if it is absent or invalid. */
export const templateGeneration = ({ metadata }: StoredDaemonSet): string | undefined => {
  const text = metadata.annotations?.['deprecated.daemonset.template.generation'];
  return text !== undefined && /^[+-]?[0-9]+$/.test(text) ? String(BigInt(text)) : undefined;
};

/** Whether a pod has the current template. @see daemonset_util.go (`IsPodUpdated`) */
export const isUpdatedIn = ({ set, hash }: DaemonView, { metadata: { labels = {} } }: StoredPod): boolean => {
  const generation = templateGeneration(set);
  const hasGeneration = generation !== undefined && labels[TEMPLATE_GENERATION] === generation;
  return hasGeneration || (hash !== '' && labels[REVISION_HASH] === hash);
};

/** The first old and the first updated pod on a node, if any. Terminating pods are ignored. */
interface NodePods {
  readonly node: string;
  readonly old?: StoredPod | undefined;
  readonly updated?: StoredPod | undefined;
  /** Whether the node has several old or several updated pods, which other parts of the sync delete. */
  readonly isCrowded: boolean;
}

const wantedNodes = ({ nodes, set }: DaemonView): readonly string[] =>
  nodes.filter((node) => nodeFitness(node, set).shouldRun).map(({ name }) => name);

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/update.go (`findUpdatedPodsOnNode`) */
const nodePods = (view: DaemonView, wanted: readonly string[]): readonly NodePods[] => {
  const names = [...view.pods.keys(), ...wanted.filter((name) => !view.pods.has(name))];
  return names.map((node) => {
    const alive = (view.pods.get(node) ?? []).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const [updated, old] = [
      alive.filter((pod) => isUpdatedIn(view, pod)),
      alive.filter((pod) => !isUpdatedIn(view, pod)),
    ];
    return { node, updated: updated[0], old: old[0], isCrowded: updated.length > 1 || old.length > 1 };
  });
};

/**
 * On nodes with only an old pod, deletes the pod if it is unavailable. Deletes available old pods while at most `maxUnavailable`
 * nodes lack an available pod.
 */
const replaceInPlace = (view: DaemonView, all: readonly NodePods[], maxUnavailable: number): DaemonChanges => {
  const broken: StoredPod[] = [];
  const candidates: StoredPod[] = [];
  let unavailable = 0;
  for (const { old, updated, isCrowded } of all) {
    if (isCrowded || (old === undefined) === (updated === undefined)) unavailable += 1;
    else if (updated) unavailable += Number(!isAvailableIn(view, updated));
    else if (old && isAvailableIn(view, old)) candidates.push(old);
    else if (old) {
      broken.push(old);
      unavailable += 1;
    }
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] };
};

/** The pods and nodes that a rolling update with surge can change, with the counts that limit the changes. */
interface SurgeCounts {
  readonly remove: StoredPod[];
  /** Available old pods on nodes that no longer match. */
  readonly misplaced: StoredPod[];
  readonly candidates: string[];
  readonly urgent: string[];
  surge: number;
  available: number;
}

const countSurge = (view: DaemonView, all: readonly NodePods[], wanted: ReadonlySet<string>): SurgeCounts => {
  const found: SurgeCounts = { remove: [], misplaced: [], candidates: [], urgent: [], surge: 0, available: 0 };
  for (const { node, old, updated, isCrowded } of all) {
    if (isCrowded) {
      found.surge += 1;
      continue;
    }
    const first = old ?? updated;
    const isAvailable = first !== undefined && isAvailableIn(view, first);
    found.available += Number(isAvailable);
    if (!old) continue;
    if (updated && isAvailableIn(view, updated)) found.remove.push(old);
    else if (updated) found.surge += 1;
    else if (wanted.has(node)) (isAvailable ? found.candidates : found.urgent).push(node);
    else (isAvailable ? found.misplaced : found.remove).push(old);
  }
  return found;
};

/**
 * Creates new pods beside unavailable old pods, and beside at most `maxSurge` available old pods. Deletes an old pod when the new
 * pod beside it is available, and old pods on nodes that no longer match. An available pod on such a node stays while it is
 * needed for the number of available pods.
 */
const replaceWithSurge = (view: DaemonView, all: readonly NodePods[], maxSurge: number): DaemonChanges => {
  const wanted = wantedNodes(view);
  const { remove, misplaced, candidates, urgent, surge, available } = countSurge(view, all, new Set(wanted));
  return {
    create: [...urgent, ...candidates.slice(0, Math.max(0, maxSurge - surge))],
    remove: [...remove, ...misplaced.slice(0, Math.max(0, available - wanted.length))],
  };
};

/**
 * Returns the next changes of a rolling update; none for `OnDelete`.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/update.go (`rollingUpdate`)
 */
export const rollingChanges = (view: DaemonView): DaemonChanges => {
  const { updateStrategy } = view.set.spec;
  if (updateStrategy?.type !== 'RollingUpdate') return UNCHANGED;
  const wanted = wantedNodes(view);
  const all = nodePods(view, wanted);
  const maxSurge = surgeOf(view.set, wanted.length);
  const given = scaled(updateStrategy.rollingUpdate?.maxUnavailable ?? 0, wanted.length, Math.ceil);
  const maxUnavailable = wanted.length > 0 && given === 0 && maxSurge === 0 ? 1 : given;
  return maxSurge === 0 ? replaceInPlace(view, all, maxUnavailable) : replaceWithSurge(view, all, maxSurge);
};
