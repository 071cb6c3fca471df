import type { RolloutAdapter } from '#constructs/rollout/engine/adapter.ts';
import type { RolloutChild } from '#constructs/rollout/engine/pods/child.ts';
import type { RolloutRevision } from '#constructs/rollout/engine/revision.ts';
import type { Clock } from '#lib/desired/clock.ts';
import type { ResourceMeta } from '#lib/desired/definition.ts';
import type { Outcomes, Refusal } from '#lib/desired/observation.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { RolloutStatus } from './memory.ts';

/** The input of the engine: the adapter, the metadata and stored status of the resource, the observed children, and the clock. */
export interface RolloutSituation {
  readonly adapter: RolloutAdapter;
  readonly metadata: ResourceMeta;
  /** The status of the resource before this pass. */
  readonly stored: Partial<RolloutStatus> & { readonly conditions?: readonly Condition[] };
  /** The child Deployments, sorted by name, including Deployments that are being deleted. */
  readonly children: readonly RolloutChild[];
  /**
   * Looks up the pods of a revision. The engine calls this function only for revisions with unavailable pods. Each change of a
   * pod that was looked up starts a pass.
   */
  readonly podsOf: (hash: string) => readonly ObservedPod[];
  readonly refused: readonly Refusal[];
  readonly outcomes: Outcomes;
  readonly clock: Clock;
}

/** The children that are not being deleted. */
export const liveChildren = ({ children }: Pick<RolloutSituation, 'children'>): readonly RolloutChild[] =>
  children.filter(({ terminating }) => !terminating);

/** The child that runs a revision; `undefined` if there is none, or the child is being deleted. */
export const childWith = (
  situation: Pick<RolloutSituation, 'children'>,
  hash: string | undefined,
): RolloutChild | undefined => liveChildren(situation).find((child) => child.hash === hash);

/** The revision with this hash; `undefined` if the revision is not known. */
export const revisionWith = (
  { adapter }: Pick<RolloutSituation, 'adapter'>,
  hash: string | undefined,
): RolloutRevision | undefined => adapter.known.find((revision) => revision.hash === hash);

/** The name of a revision for users; the hash if the revision is not known. */
export const versionOf = (situation: Pick<RolloutSituation, 'adapter'>, hash: string): string =>
  revisionWith(situation, hash)?.version ?? hash;
