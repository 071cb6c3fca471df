import { isSame } from '#test/sim/model-key.ts';
import type { Move } from '#test/sim/model-search.ts';
import { changed, deleted, type ModelState, NODE, OTHER_NODE, type Picture, type PodObject, withPod } from './state.ts';

type Step = Move<ModelState>;

/** True when the machine of a pod answers. */
export const answers = ({ real }: ModelState, node: string | undefined): boolean =>
  node !== NODE || real.node === 'ready';

/** True when the container of a pod runs. */
export const isRunning = ({ running }: ModelState, { uid }: PodObject): boolean => running.some((it) => it.uid === uid);

/** The same state with another state of one pod; `undefined` for a deleted one. */
export const withReal = (state: ModelState, pod: PodObject, next: PodObject | undefined): ModelState => ({
  ...state,
  real: withPod(state.real, pod, next),
});

/** The same state without the container of a pod. */
export const stopped = (state: ModelState, uid: string): ModelState => ({
  ...state,
  running: state.running.filter((it) => it.uid !== uid),
});

const started = (state: ModelState, pod: PodObject): Step => {
  const node = state.real.node === 'ready' ? NODE : OTHER_NODE;
  const next = withReal(state, pod, changed(pod, { phase: 'Running', node }));
  return { label: 'kubelet starts', state: { ...next, running: [...state.running, { uid: pod.uid, node }] } };
};

/**
 * The kubelet's steps for a pod that is being deleted: the containers stop, and the kubelet reports their end and removes the
 * pod.
 */
const stopping = (state: ModelState, pod: PodObject): Step => {
  if (!isRunning(state, pod)) return { label: 'kubelet lets go', state: withReal(state, pod, undefined) };
  const { readySince: _ready, ...rest } = pod;
  const next = changed(rest, { phase: 'Failed', exit: { code: 143, at: state.now } });
  return { label: 'kubelet stops', state: stopped(withReal(state, pod, next), pod.uid) };
};

const kubeletSteps = (state: ModelState, pod: PodObject): Step[] => {
  const { node, deletion, phase, readySince } = pod;
  if (!answers(state, node)) return [];
  if (deletion !== undefined) return [stopping(state, pod)];
  if (phase === 'Pending') return [started(state, pod)];
  if (phase !== 'Running' || readySince !== undefined) return [];
  return [{ label: 'kubelet: ready', state: withReal(state, pod, changed(pod, { readySince: state.now })) }];
};

/** A container whose pod was removed from the API server. */
const cleanUps = (state: ModelState): Step[] =>
  state.running
    .filter(({ uid, node }) => answers(state, node) && !state.real.pods.some((pod) => pod.uid === uid))
    .map(({ uid }) => ({ label: 'kubelet cleans up', state: stopped(state, uid) }));

/** Kubernetes deletes the pods of a machine that does not answer. */
const evictions = (state: ModelState, pod: PodObject): Step[] => {
  if (pod.node !== NODE || state.real.node === 'ready' || pod.deletion !== undefined) return [];
  const force = state.real.node === 'removed';
  return [{ label: 'eviction', state: withReal(state, pod, deleted(pod, { now: state.now, force })) }];
};

/** Kubernetes deletes by force the pods that do not stop on a machine that is off. */
export const collections = (state: ModelState): Step[] => {
  const { node, pods } = state.real;
  if (node !== 'removed' && node !== 'vouched') return [];
  return pods
    .filter((pod) => pod.node === NODE && pod.deletion !== undefined)
    .map((pod) => ({ label: 'pod collector', state: withReal(state, pod, undefined) }));
};

const watches = ['pods', 'asked', 'node'] as const satisfies readonly (keyof Picture)[];

/** Each watch may be late by any time, and then delivers all events at once. */
const watchSteps = (state: ModelState): Step[] => {
  const { real, seen } = state;
  return watches
    .filter((part) => !isSame(real[part], seen[part]))
    .map((part) => ({ label: `watch: ${part}`, state: { ...state, seen: { ...seen, [part]: real[part] } } }));
};

/** The steps that the cluster takes by itself. */
export const clusterSteps = (state: ModelState): Step[] => [
  ...watchSteps(state),
  ...cleanUps(state),
  ...state.real.pods.flatMap((pod) => [...kubeletSteps(state, pod), ...evictions(state, pod)]),
];
