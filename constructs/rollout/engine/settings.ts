import type { IntOrPercent } from '#lib/workload/fenceposts.ts';

/** The action after the progress deadline: abort the rollout, pause the rollout, or only report the deadline. */
export type DeadlineAction = 'Abort' | 'Pause' | 'Report';

/** One step of a rollout. Kinds add metrics and hooks, which only the checks read. */
export interface RolloutStep {
  /** The percentage of the replicas with the new version, from 0 to 100. */
  readonly percent: number;
  /** Seconds to wait once the pods of the step are available. @default 0 */
  readonly sleep?: number;
  /** Whether the step waits for a command of a person, without a time limit. @default false */
  readonly pause?: boolean;
}

/** The settings of a rollout, which each adapter makes from its spec. */
export interface RolloutSettings {
  /** The desired number of pods, 0 or more. */
  readonly replicas: number;
  /**
   * The steps, with percentages that do not decrease. Without steps, the new version replaces the old one as fast as `maxSurge`
   * and `maxUnavailable` allow.
   */
  readonly steps: readonly RolloutStep[];
  /** The number of pods allowed in addition to `replicas`; percentages are rounded up. */
  readonly maxSurge: IntOrPercent;
  /** The number of pods that may be unavailable; percentages are rounded down. */
  readonly maxUnavailable: IntOrPercent;
  /** Seconds without a new maximum of available pods after which the engine takes `progressDeadlineAction`. */
  readonly progressDeadlineSeconds: number;
  readonly progressDeadlineAction: DeadlineAction;
  /** The number of ControllerRevisions to keep for old revisions that are not in use. */
  readonly revisionHistoryLimit: number;
  /** The number of known revisions before the stable one whose rollout skips the steps. With 0, no rollout skips the steps. */
  readonly rollbackWindow: number;
  /** Whether a return to the stable version during a rollout takes the steps backwards, with their sleeps. */
  readonly rollbackInSteps: boolean;
  /** Seconds for which the Deployment of a replaced version is kept without pods after a promotion. */
  readonly retainOldSeconds: number;
  /**
   * Whether the rollout is paused: no step begins without a command, and no other rollout begins. Lost pods are still replaced.
   */
  readonly paused: boolean;
}
