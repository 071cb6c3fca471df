import type { IntOrPercent } from '#lib/workload/fenceposts.ts';

/** The action when a rollout makes no progress until its deadline: it rolls back, waits for a person, or only reports. */
export type DeadlineAction = 'Abort' | 'Pause' | 'Report';

/** One step of a rollout for the engine. Adapters add metrics and hooks, which only the checks read. */
export interface RolloutStep {
  /** The share of the replicas that run the new version, from 0 to 100. */
  readonly percent: number;
  /** The seconds to wait once the pods of this share are available. @default 0 */
  readonly sleep?: number;
  /** Whether the rollout waits for a person instead of sleeping. @default false */
  readonly pause?: boolean;
}

/** The settings of a rollout. Every adapter maps its spec to them. */
export interface RolloutSettings {
  /** The desired number of pods, 0 or more. */
  readonly replicas: number;
  /**
   * The steps, with percentages that do not decrease. Without steps, the new version replaces the old one as fast as availability
   * allows.
   */
  readonly steps: readonly RolloutStep[];
  /** The number of pods allowed in addition to `replicas`; percentages are rounded up. */
  readonly maxSurge: IntOrPercent;
  /** The number of pods that may be missing; percentages are rounded down. */
  readonly maxUnavailable: IntOrPercent;
  /** Seconds without a new maximum of available pods, after which `progressDeadlineAction` is taken. */
  readonly progressDeadlineSeconds: number;
  readonly progressDeadlineAction: DeadlineAction;
  /** The number of ControllerRevisions of old revisions that are kept. */
  readonly revisionHistoryLimit: number;
  /** The number of revisions before the stable one to which a return skips the steps. With 0, every return takes the steps. */
  readonly rollbackWindow: number;
  /** Whether a return to the stable version during a rollout takes the steps backwards, with their sleeps. */
  readonly rollbackInSteps: boolean;
  /** Seconds for which the Deployment of a replaced version is kept without pods. */
  readonly retainOldSeconds: number;
  /** Whether the rollout is paused: no step begins or ends, and no other rollout begins. Lost pods are still replaced. */
  readonly paused: boolean;
}
