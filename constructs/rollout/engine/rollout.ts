import type { Desired } from '#lib/desired/result/desired.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import { equalJson } from '#lib/json.ts';
import { containerFailureEvents } from '#lib/workload/container-failure.ts';
import { act } from './act.ts';
import { isTemplateHeld, refusedTemplate } from './decide/admission.ts';
import { decide } from './decide/decide.ts';
import { type Draft, runEventChecks } from './decide/draft.ts';
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

/** Whether the status already stores all decisions on which the writes of children depend. */
const isWrittenDown = (before: RolloutMemory, now: RolloutMemory): boolean =>
  acted.every((name) => equalJson(before[name] ?? null, now[name] ?? null));

/** Whether the rollout of the requested version has not begun. Apart from a dry run, only `spec.paused` prevents it. */
const waitsForUnpause = ({ canaryHash }: RolloutMemory, { adapter }: RolloutSituation): boolean =>
  canaryHash !== undefined && canaryHash !== adapter.requested.hash;

const decided = (memory: RolloutMemory, situation: RolloutSituation): Draft => {
  const draft = decide(memory, situation);
  return runEventChecks(draft, situation, milestonesOf({ before: memory, after: draft.memory, situation }));
};

/** The decisions of a pass, and the intents for the children. */
export interface RolloutPlan {
  readonly draft: Draft;
  /**
   * The intents for the children. Empty while {@link obstacleIn} returns an obstacle, and in a pass that only stores a decision.
   */
  readonly children: readonly ChildIntent[];
  /** The reason why `children` is incomplete. */
  readonly partial?: string;
}

/**
 * Computes the decisions of a pass, and the intents for the children. Pure.
 *
 * Guarantees: if a pass changes a decision on which the children depend, the pass returns no intents. A later pass returns the
 * intents, from the stored decision. After a crash, the next pass therefore repeats the decision or acts on the stored one.
 */
export const planRollout = (situation: RolloutSituation): RolloutPlan => {
  const memory = memoryIn(situation.stored);
  if (obstacleIn(memory, situation) !== undefined) {
    return { draft: { memory, effects: [], events: [] }, children: [], partial: 'an obstacle is in the way' };
  }
  const draft = decided(memory, situation);
  if (!isWrittenDown(memory, draft.memory)) return { draft, children: [], partial: 'a decision is written down first' };
  return isTemplateHeld(draft.admission) || waitsForUnpause(draft.memory, situation)
    ? {
        draft,
        children: act(draft.memory, situation, { isHeld: true }),
        partial: 'the rollout of the requested version has not begun',
      }
    : { draft, children: act(draft.memory, situation) };
};

/** The desired-state function of every kind that uses the engine. */
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
