import { isSame } from '#test/sim/model-key.ts';
import type { Move } from '#test/sim/model-search.ts';
import { answers, isRunning, stopped, withReal } from './cluster.ts';
import { changed, deleted, hasEnded, type ModelState, NODE, type NodeState, type PodObject } from './state.ts';

type Step = Move<ModelState>;

const exited = (state: ModelState, pod: PodObject, code: number): ModelState => {
  const { readySince: _ready, ...rest } = pod;
  const next = changed(rest, { phase: code === 0 ? 'Succeeded' : 'Failed', exit: { code, at: state.now } });
  return stopped(withReal(state, pod, next), pod.uid);
};

const podAccidents = (state: ModelState, pod: PodObject): Step[] => {
  const { left } = state;
  if (pod.deletion !== undefined) return [];
  const steps: Step[] = [];
  const budget = (name: 'completions' | 'failures' | 'kills') => ({ left: { ...left, [name]: left[name] - 1 } });
  const mayExit = isRunning(state, pod) && answers(state, pod.node);
  if (mayExit && left.completions > 0)
    steps.push({ label: 'container exits 0', state: { ...exited(state, pod, 0), ...budget('completions') } });
  if (mayExit && left.failures > 0)
    steps.push({ label: 'container exits 1', state: { ...exited(state, pod, 1), ...budget('failures') } });
  const kill = deleted(pod, { now: state.now, force: false });
  if (left.kills > 0 && !hasEnded(pod))
    steps.push({ label: 'a user deletes it', state: { ...withReal(state, pod, kill), ...budget('kills') } });
  return steps;
};

/** A user declares a machine off, after making sure that no process runs on it. */
const offAs = (state: ModelState, node: NodeState): ModelState => ({
  ...state,
  real: { ...state.real, node },
  running: state.running.filter((it) => it.node !== NODE),
});

const nodeAccidents = (state: ModelState): Step[] => {
  const { real, left } = state;
  if (real.node === 'ready' && left.outages > 0)
    return [
      {
        label: 'node is lost',
        state: { ...state, real: { ...real, node: 'lost' }, left: { ...left, outages: left.outages - 1 } },
      },
    ];
  if (real.node !== 'lost') return [];
  return [
    { label: 'node comes back', state: { ...state, real: { ...real, node: 'ready' } } },
    { label: 'admin taints node', state: offAs(state, 'vouched') },
    { label: 'admin removes node', state: offAs(state, 'removed') },
  ];
};

/** Duration without a pass, in seconds: longer than any delay of the models. */
const DELAY = 200;

/** Events that may or may not happen. */
export const accidents = (state: ModelState): Step[] => {
  const { left, now, real } = state;
  const late = { ...state, now: now + DELAY, left: { ...left, delays: left.delays - 1 } };
  return [
    ...real.pods.flatMap((pod) => podAccidents(state, pod)),
    ...nodeAccidents(state),
    ...(left.delays > 0 ? [{ label: 'time passes', state: late }] : []),
    ...(!isSame(real, state.seen) ? [{ label: 'operator crashes', state: { ...state, seen: real } }] : []),
  ];
};
