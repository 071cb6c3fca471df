import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { stamp } from '#lib/plan/stamp.ts';
import { isSame } from '#test/sim/model-key.ts';
import { type Mind, type Status, thoughtOf, type WriteStep } from './mind.ts';
import { changed, deleted, hasEnded, type ModelState, type PodObject, withPod } from './state.ts';
import { resourceView, type Settings } from './view.ts';

/** The result of a pass. */
export interface Pass {
  readonly state: ModelState;
  /** The result when the status was written as well, because consecutive passes wrote children. */
  readonly hurried?: ModelState;
  /** The instant, in seconds, of the next requested pass. */
  readonly awaited: number | undefined;
}

/**
 * Writes the status, with a precondition on the version of the resource. With an older version the write is refused, and the
 * resource is read live.
 */
const reported = (state: ModelState, next: Status): ModelState => {
  const { real, seen } = state;
  if (isSame(next, state.status)) return state;
  if (seen.asked !== real.asked) return { ...state, seen: { ...seen, asked: real.asked } };
  const uids = [next.currentPodUID, next.lastExit?.podUID].filter((uid) => uid !== undefined);
  return { ...state, status: next, named: [...new Set([...state.named, ...uids])].toSorted() };
};

/** The view after a write: the current pod, from the answer or from a live read. */
const written = (state: ModelState, name: string, pod: PodObject | undefined): ModelState => ({
  ...state,
  real: withPod(state.real, { name }, pod),
  seen: withPod(state.seen, { name }, pod),
});

const newPod = ({ made, now }: ModelState, name: string, object: KubeObject): PodObject => ({
  name,
  uid: `u${made + 1}`,
  version: 1,
  annotations: object.metadata?.annotations ?? {},
  image: imageOf(object),
  createdAt: now,
  phase: 'Pending',
});

const imageOf = (object: object): string =>
  (object as { spec?: { containers?: { image?: string }[] } }).spec?.containers?.[0]?.image ?? '';

/** Whether a pod has changed since it was observed: then the step is not carried out. */
const isOutdated = (live: PodObject, step: WriteStep): boolean =>
  'resourceVersion' in step && step.resourceVersion !== String(live.version);

/** Carries out one step as the loop does; an outdated step only reads the object. */
const carriedOut = (
  state: ModelState,
  step: WriteStep,
  { live, settings }: { readonly live: PodObject | undefined; readonly settings: Settings },
): ModelState => {
  const { name } = step;
  if (step.step === 'create') {
    const resource = resourceView(state, settings);
    const { object } = stamp({ definition: immortalContainer, resource }, step.declared);
    const made = { ...written(state, name, newPod(state, name, object)), made: state.made + 1 };
    return live === undefined ? made : written(state, name, live);
  }
  if (live?.uid !== step.uid || isOutdated(live, step)) return written(state, name, live);
  if (step.step === 'apply') {
    const { annotations = {} } = step.object.metadata ?? {};
    return written(state, name, changed(live, { annotations, image: imageOf(step.object) }));
  }
  const force = step.step === 'remove' && step.gracePeriodSeconds === 0;
  const next = written(state, name, deleted(live, { now: state.now, force }));
  if (hasEnded(live) || live.deletion !== undefined) return next;
  return { ...next, dismissed: [...state.dismissed, { uid: live.uid, generation: state.seen.asked.generation }] };
};

/** One pass of the real functions: writes to children, and the status when there were none. */
export const passOf = (state: ModelState, mind: Mind): Pass => {
  const { writes, status, awaited } = thoughtOf(state, mind);
  if (writes.length === 0) return { state: reported(state, status), awaited };
  let after = state;
  let outdated = false;
  for (const step of writes) {
    const live = after.real.pods.find(({ name }) => name === step.name);
    outdated ||= step.step !== 'create' && live?.uid === step.uid && isOutdated(live, step);
    after = carriedOut(after, step, { live, settings: mind.settings });
  }
  return { state: after, ...(!outdated && { hurried: reported(after, status) }), awaited };
};
