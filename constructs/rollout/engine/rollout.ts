import type { Desired } from '#lib/desired/result/desired.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import { equalJson } from '#lib/json.ts';
import { containerFailureEvents } from '#lib/workload/container-failure.ts';
import { act } from './act.ts';
import { isTemplateHeld, refusedTemplate } from './decide/admission.ts';
import { decide } from './decide/decide.ts';
import { type Draft, tell } from './decide/draft.ts';
import { rolloutConditionsOf } from './report/conditions.ts';
import { milestonesOf, rolloutEventsOf } from './report/events.ts';
import { rolloutStatusOf, rolloutViewOf } from './report/view.ts';
import { rolloutStateOf } from './report/words.ts';
import { memoryIn, type RolloutMemory, type RolloutStatus } from './state/memory.ts';
import { obstacleIn } from './state/obstacle.ts';
import type { RolloutSituation } from './state/situation.ts';

/** The decisions that {@link act} depends on. */
const acted = [
  'stableHash',
  'canaryHash',
  'percent',
  'rollbackFrom',
  'abortedAt',
  'promotedAt',
  'driftedDeployments',
] as const satisfies readonly (keyof RolloutMemory)[];

/** Whether children may be written, because all decisions that the writes depend on are stored in the status. */
const isWrittenDown = (before: RolloutMemory, now: RolloutMemory): boolean =>
  acted.every((name) => equalJson(before[name] ?? null, now[name] ?? null));

/** Whether the requested version has to wait because of `spec.paused`. */
const isSetAside = ({ canaryHash }: RolloutMemory, { adapter }: RolloutSituation): boolean =>
  canaryHash !== undefined && canaryHash !== adapter.asked.hash;

const decided = (memory: RolloutMemory, situation: RolloutSituation): Draft => {
  const draft = decide(memory, situation);
  return tell(draft, situation, milestonesOf({ before: memory, after: draft.memory, situation }));
};

/** The result of a pass of a rollout. */
export interface RolloutPlan {
  readonly draft: Draft;
  /** The intents for the children; empty in a pass that only stores a decision. */
  readonly children: readonly ChildIntent[];
  /** The reason why some or all children are not written. */
  readonly partial?: string;
}

/**
 * Computes the writes of a rollout and its stored state. Pure.
 *
 * Guarantees: a pass either writes a decision into the status or acts on the stored decisions. After a crash at any point, the
 * next pass therefore makes the same decision, or acts on the stored one. Decisions are not lost.
 */
export const planRollout = (situation: RolloutSituation): RolloutPlan => {
  const memory = memoryIn(situation.stored);
  if (obstacleIn(memory, situation) !== undefined) {
    return { draft: { memory, effects: [], events: [] }, children: [], partial: 'an obstacle is in the way' };
  }
  const draft = decided(memory, situation);
  if (!isWrittenDown(memory, draft.memory)) return { draft, children: [], partial: 'a decision is written down first' };
  return isTemplateHeld(draft.admission) || isSetAside(draft.memory, situation)
    ? {
        draft,
        children: act(draft.memory, situation, { isHeld: true }),
        partial: 'the rollout of the requested version has not begun',
      }
    : { draft, children: act(draft.memory, situation) };
};

/**
 * The desired-state function of every kind that uses the engine.
 *
 * @param situation - the adapter of the kind, the resource, and the observed state
 */
export const rollOut = (situation: RolloutSituation): Desired<RolloutStatus> => {
  const before = memoryIn(situation.stored);
  const { draft, children, partial } = planRollout(situation);
  const { admission } = draft;
  const obstacle = obstacleIn(before, situation) ?? refusedTemplate(admission, situation);
  const view = rolloutViewOf(draft.memory, situation, { obstacle, admission });
  const state = rolloutStateOf(view);
  const status: RolloutStatus = { ...rolloutStatusOf(view), message: state.message };
  const change = { before, after: draft.memory, situation };
  return {
    children,
    ...(partial === undefined ? {} : { partial }),
    status,
    state,
    conditions: rolloutConditionsOf(view, state),
    events: [
      ...rolloutEventsOf(change, { before: situation.stored, after: status }),
      ...draft.events,
      ...containerFailureEvents(view.failure, situation.stored),
    ],
    effects: draft.effects,
  };
};
