import type { RolloutAdapter } from '#constructs/rollout/engine/adapter.ts';
import type { RolloutChild } from '#constructs/rollout/engine/pods/child.ts';
import type { RolloutRevision } from '#constructs/rollout/engine/revision.ts';
import type { Clock } from '#lib/desired/clock.ts';
import type { ResourceMeta } from '#lib/desired/definition.ts';
import type { Outcomes, Refusal } from '#lib/desired/observation.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { RolloutStatus } from './memory.ts';

/** The input of the engine, except the stored decisions: the settings, the observed state and the clock. */
export interface RolloutSituation {
  readonly adapter: RolloutAdapter;
  readonly metadata: ResourceMeta;
  /** The stored status. */
  readonly stored: Partial<RolloutStatus> & { readonly conditions?: readonly Condition[] };
  /** The children, sorted by name, including children that are being deleted. */
  readonly children: readonly RolloutChild[];
  /**
   * Looks up the pods of a revision. The engine calls this function only for revisions with missing pods, because each look-up
   * has a cost.
   */
  readonly podsOf: (hash: string) => readonly ObservedPod[];
  readonly refused: readonly Refusal[];
  readonly outcomes: Outcomes;
  readonly clock: Clock;
}

/** The children that are not being deleted. */
export const liveChildren = ({ children }: Pick<RolloutSituation, 'children'>): readonly RolloutChild[] =>
  children.filter(({ terminating }) => !terminating);

/** The child that runs a revision, unless it is being deleted. */
export const childWith = (
  situation: Pick<RolloutSituation, 'children'>,
  hash: string | undefined,
): RolloutChild | undefined => liveChildren(situation).find((child) => child.hash === hash);

/** The known revision with a hash. */
export const revisionWith = (
  { adapter }: Pick<RolloutSituation, 'adapter'>,
  hash: string | undefined,
): RolloutRevision | undefined => adapter.known.find((revision) => revision.hash === hash);

/** The name of a revision for users. */
export const versionOf = (situation: Pick<RolloutSituation, 'adapter'>, hash: string): string =>
  revisionWith(situation, hash)?.version ?? hash;
