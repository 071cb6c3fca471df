import { START_ORDINAL } from '#constructs/immortal-container/identity.ts';
import { revisionOf } from '#constructs/immortal-container/revision.ts';
import { microsOf } from '#lib/desired/clock.ts';
import type { Move } from '#test/sim/model-search.ts';
import { hasEnded, type ModelState, NODE, type PodObject } from './state.ts';
import type { Settings } from './view.ts';

/** A law about the states before and after a step. */
type Law = (before: ModelState, step: Move<ModelState>, settings: Settings) => string | undefined;

/** L1: at most one container runs; a machine that is off runs none. */
const twoLive: Law = (_, { state: { running } }) =>
  running.length > 1 ? `L1: ${running.length} containers run: ${running.map(({ uid }) => uid).join()}` : undefined;

/** L2: every pod that a status has named is counted once. */
const miscounted: Law = (_, { state: { status, named } }) =>
  (status?.startTimes ?? 0) === named.length
    ? undefined
    : `L2: startTimes is ${status?.startTimes}, and ${named.length} pods were named`;

const isNewStatus = (before: ModelState, { state }: Move<ModelState>): boolean => state.status !== before.status;

/** L3: a status that is the only write of its pass names the existing pod: the window is no wider than documented. */
const overlooked: Law = (before, step) => {
  if (!isNewStatus(before, step) || step.label !== 'operator') return undefined;
  const { real, named } = step.state;
  const pod = real.pods.find(({ uid, annotations }) => START_ORDINAL in annotations && !named.includes(uid));
  return pod && `L3: ${pod.uid} is there, and the status does not count it`;
};

/** L4: an end is recorded before the pod is deleted. */
const lostEnd: Law = ({ real, status }, { label, state }) => {
  if (!label.startsWith('operator')) return undefined;
  const gone = real.pods.find(
    (pod) => hasEnded(pod) && pod.deletion === undefined && !state.real.pods.some(({ uid }) => uid === pod.uid),
  );
  return gone && gone.uid !== status?.lastExit?.podUID ? `L4: the end of ${gone.uid} was not written down` : undefined;
};

const OUR_REASONS: ReadonlySet<string | undefined> = new Set(['Replaced', 'Suspended']);

/**
 * L5: each end of a pod counts as one failure at most, and as none if the operator caused it. One pass may find two ends: that
 * of the last pod and that of the next one.
 */
const failedTwice: Law = ({ status: before }, { state: { status } }) => {
  const failures = (status?.consecutiveFailures ?? 0) - (before?.consecutiveFailures ?? 0);
  const ends = new Set([before?.currentPodUID, status?.lastExit?.podUID].filter((uid) => uid !== undefined));
  if (before?.lastExit) ends.delete(before.lastExit.podUID);
  if (status?.lastExit && OUR_REASONS.has(status.lastExit.reason)) ends.delete(status.lastExit.podUID);
  return failures > ends.size ? `L5: ${failures} failures for ${ends.size} ends` : undefined;
};

/** L6: nothing starts while the resource is suspended, or before the time in the status, unless the program changed. */
const tooEarly: Law = ({ status, made, now, seen }, { state }, settings) => {
  const { nextStartTime, revision } = status ?? {};
  if (state.made === made) return undefined;
  if (seen.asked.suspend) return 'L6: it starts, and is suspended';
  if (nextStartTime === undefined) return undefined;
  const isSame = revision === revisionOf({ ...settings, ...seen.asked });
  return isSame && microsOf(nextStartTime) > now * 1_000_000 ? `L6: it starts before ${nextStartTime}` : undefined;
};

/** L7: nothing is deleted by force on a machine that may be on. */
const ruthless: Law = ({ real }, { label, state }) => {
  if (!label.startsWith('operator') || real.node === 'vouched' || real.node === 'removed') return undefined;
  const gone = real.pods.find(
    (pod) => pod.deletion !== undefined && !state.real.pods.some(({ uid }) => uid === pod.uid),
  );
  return gone && `L7: ${gone.uid} is deleted by force`;
};

/**
 * L8: a deletion by the operator is not reported as foreign, unless the spec was edited again before the deletion was recorded.
 */
const unowned: Law = ({ status: before }, { state: { status, dismissed, seen } }) => {
  const { podUID, reason } = status?.lastExit ?? {};
  if (podUID === before?.lastExit?.podUID || reason !== 'Deleted') return undefined;
  const own = dismissed.some(({ uid, generation }) => uid === podUID && generation === seen.asked.generation);
  return own ? `L8: ${podUID} was deleted by us` : undefined;
};

const laws: readonly Law[] = [twoLive, miscounted, overlooked, lostEnd, failedTwice, tooEarly, ruthless, unowned];

/** The laws that a step breaks, in order. */
export const brokenLaws = (before: ModelState, step: Move<ModelState>, settings: Settings): readonly string[] =>
  laws.flatMap((law) => law(before, step, settings) ?? []);

const isStuck = ({ real }: ModelState, { node, deletion }: PodObject): boolean =>
  deletion !== undefined && node === NODE && real.node === 'lost';

const readyReason = ({ status }: ModelState): string => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return `${ready?.status} ${ready?.reason}`;
};

const wrongPod = (state: ModelState, pod: PodObject): string | undefined => {
  const { asked } = state.real;
  if (pod.image !== asked.image) return `the pod is of ${pod.image}, asked is ${asked.image}`;
  if (pod.readySince === undefined || pod.deletion !== undefined) return `the pod is ${pod.phase}, and rests`;
  if (state.status?.currentPodUID !== pod.uid) return 'the status names another pod';
  if (state.status.nextStartTime !== undefined) return 'the status tells of another start';
  return readyReason(state) === 'True PodReady' ? undefined : `Ready is ${readyReason(state)}`;
};

/**
 * The fault of a state at rest, if any. A suspended resource has no pod. Otherwise one ready pod of the newest template exists,
 * as the status reports, or the pod is stuck on a lost machine.
 */
export const wrongRest = (state: ModelState): string | undefined => {
  const { real, status } = state;
  const [pod, ...more] = real.pods;
  if (more.length > 0) return `${real.pods.length} pods`;
  if (status?.observedGeneration !== real.asked.generation) return 'the status is of an earlier spec';
  if (pod && isStuck(state, pod))
    return readyReason(state) === 'False PodStuckTerminating' ? undefined : `it is stuck, and ${readyReason(state)}`;
  if (!real.asked.suspend) return pod ? wrongPod(state, pod) : 'there is no pod';
  if (pod) return 'it is suspended, and there is a pod';
  return readyReason(state) === 'True Suspended' ? undefined : `Ready is ${readyReason(state)}`;
};
