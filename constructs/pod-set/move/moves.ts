import { inDeletionOrder } from '#constructs/pod-set/deletion-order.ts';
import type { Census, Counts, Replica } from '#constructs/pod-set/look/census.ts';
import type { PodSetSettings } from '#constructs/pod-set/settings.ts';
import type { Clock } from '#lib/desired/clock.ts';

/** A pod to delete, and the reason. */
export interface Removal {
  readonly replica: Replica;
  readonly because: 'ScaledDown' | 'Updated';
}

/** The number of pods to create, and the pods to delete. */
export interface Moves {
  readonly create: number;
  readonly remove: readonly Removal[];
}

/** The settings and the observed pods from which {@link nextMoves} decides. */
export interface MoveSituation {
  readonly settings: PodSetSettings;
  readonly census: Pick<Census, 'active'>;
  readonly counts: Counts;
  /** Whether this pass may replace pods of an old revision. */
  readonly isRolling: boolean;
  /** Whether a quota refuses new pods, so that only deletions can make room. */
  readonly isFull?: boolean;
  readonly clock: Clock;
}

/** The input of {@link ceilingOf}. */
export type Bounded = Pick<MoveSituation, 'settings' | 'counts' | 'isRolling'>;

/**
 * The maximum number of active pods. Surge pods are allowed during a rolling update, even if the update is paused after its
 * start.
 */
export const ceilingOf = ({ settings, counts, isRolling }: Bounded): number => {
  const isBetween = counts.active > counts.updated && (isRolling || counts.updated > 0) && !settings.isOnDelete;
  return settings.replicas + (isBetween ? settings.maxSurge : 0);
};

/** The number of pods to create. An update creates no more pods when `replicas` pods have the new revision. */
const missingOf = (situation: MoveSituation): number => {
  const { settings, counts, isRolling } = situation;
  const { replicas, waitsForTermination } = settings;
  const taken = counts.active + (waitsForTermination ? counts.terminating : 0);
  const room = ceilingOf(situation) - taken;
  return Math.max(0, isRolling ? Math.min(room, replicas - counts.updated) : replicas - taken);
};

const scaledDown = (situation: MoveSituation): readonly Removal[] => {
  const { census, counts, clock } = situation;
  const surplus = counts.active - ceilingOf(situation);
  if (surplus <= 0) return [];
  const going = inDeletionOrder(census.active, clock.now()).slice(0, surplus);
  return going.map((replica) => ({ replica, because: 'ScaledDown' }));
};

/**
 * The old pods to delete in an update. Old pods that are not available are deleted at once, whatever the budget of unavailable
 * pods is, because no capacity is lost. Otherwise, pods of a revision that never becomes ready could block the update that
 * corrects the revision. Available pods are deleted within the budget.
 *
 * @see https://github.com/kubernetes/kubernetes/issues/67250 for what happens if the update waits for such pods
 */
const updated = ({ settings, census, counts, clock }: MoveSituation): readonly Removal[] => {
  const old = census.active.filter(({ isUpdated }) => !isUpdated);
  const idle = old.filter(({ isAvailable }) => !isAvailable);
  const budget = Math.max(0, counts.available - (settings.replicas - settings.maxUnavailable));
  const serving = old.filter(({ isAvailable }) => isAvailable);
  const going = budget === 0 || serving.length === 0 ? [] : inDeletionOrder(serving, clock.now()).slice(0, budget);
  return [...idle, ...going].map((replica) => ({ replica, because: 'Updated' }));
};

/**
 * Decides the next change of a set: delete surplus pods, create missing pods, or delete old pods. A pass does only one of these,
 * so that each decision is based on the result of the previous one. If a quota refuses new pods, a pass deletes old pods together
 * with the creates.
 *
 * Guarantees: after the deletions, at least `replicas - maxUnavailable` pods are available, or as many as before. After the
 * creates, there are at most `replicas + maxSurge` active pods.
 */
export const nextMoves = (situation: MoveSituation): Moves => {
  const create = missingOf(situation);
  const surplus = scaledDown(situation);
  if (surplus.length > 0) return { create: 0, remove: surplus };
  if (!situation.isRolling || (create > 0 && situation.isFull !== true)) return { create, remove: [] };
  return { create, remove: updated(situation) };
};
