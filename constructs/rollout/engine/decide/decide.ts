import { forgetMembers, type RolloutMemory } from '#constructs/rollout/engine/state/memory.ts';
import { modeOf } from '#constructs/rollout/engine/state/mode.ts';
import { followPaused } from '#constructs/rollout/engine/state/pauses.ts';
import type { RolloutSituation } from '#constructs/rollout/engine/state/situation.ts';
import { admissionOf, isTemplateHeld } from './admission.ts';
import { executeCommand } from './command.ts';
import { followReplicas, noteProgress } from './deadline.ts';
import { type Draft, runRolloutChecks } from './draft.ts';
import { followRequested, followSteps, forgetLost, noteDrift, reconstruct, restartAfterLoss } from './follow-spec.ts';
import { isReached, standing, stepping } from './stepping.ts';
import { steppingBack } from './stepping-back.ts';
import { promote } from './transitions.ts';

const initial = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory =>
  isReached(memory, situation) ? promote(memory, situation) : noteProgress(memory, situation);

/** Runs the `Post` checks until they no longer wait. A failure has no effect, because a promoted version is not rolled back. */
const afterPromotion = (draft: Draft, situation: RolloutSituation): Draft => {
  if (draft.memory.postPending !== true) return draft;
  const checked = runRolloutChecks(draft, situation, 'Post');
  return checked.answer?.verdict === 'wait'
    ? checked
    : { ...checked, memory: forgetMembers(checked.memory, 'postPending') };
};

const advance = (draft: Draft, situation: RolloutSituation): Draft => {
  switch (modeOf(draft.memory)) {
    case 'initial':
      return { ...draft, memory: initial(draft.memory, situation) };
    case 'stepping':
      return stepping(draft, situation);
    case 'steppingBack':
      return { ...draft, memory: steppingBack(draft.memory, situation) };
    case 'steady':
      return afterPromotion(draft, situation);
    case 'idle':
    case 'aborted':
      return draft;
  }
};

type Follower = (memory: RolloutMemory, situation: RolloutSituation) => RolloutMemory;

/**
 * Functions that apply changes in the cluster, `spec.paused`, and commands of users. They run before the other changes of the
 * spec, because a command refers to the state that the user has seen.
 */
const firstFollowers: readonly Follower[] = [forgetLost, reconstruct, noteDrift, followPaused, executeCommand];

/**
 * Functions that apply the other changes of the spec, and the deletion of the Deployment of the new version. While the dry run of
 * the requested template is pending or refused, only `followReplicas` runs.
 */
const lastFollowers: readonly Follower[] = [followRequested, restartAfterLoss, followSteps, followReplicas];

const follow = (memory: RolloutMemory, situation: RolloutSituation, followers: readonly Follower[]): RolloutMemory =>
  followers.reduce((so, follower) => follower(so, situation), memory);

/**
 * Makes the decisions of a pass from the stored decisions and the observed state. Pure.
 *
 * Guarantees: a decision is stored in the status before it leads to writes of children (see `planRollout`). A later pass finds
 * the stored decision and does not make another one. A rollout that replaces another version does not begin while the dry run of
 * its template is pending or refused. Meanwhile, only a command moves a rollout of the previous version to another step. That
 * rollout can still be scaled, and its checks or its deadline can still pause or abort it.
 */
export const decide = (memory: RolloutMemory, situation: RolloutSituation): Draft => {
  const followed = follow(memory, situation, firstFollowers);
  const admission = admissionOf(followed, situation);
  if (isTemplateHeld(admission)) {
    const held = { memory: followReplicas(followed, situation), effects: [admission.effect], events: [], admission };
    return modeOf(held.memory) === 'stepping' ? standing(held, situation) : advance(held, situation);
  }
  const effects = admission === undefined ? [] : [admission.effect];
  return advance({ memory: follow(followed, situation, lastFollowers), effects, events: [] }, situation);
};
