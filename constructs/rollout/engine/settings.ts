import type { IntOrPercent } from '#lib/workload/fenceposts.ts';

/** The action of a rollout without progress: it rolls back, waits for a person, or only reports. */
export type DeadlineAction = 'Abort' | 'Pause' | 'Report';

/** One step of a rollout for the engine; adapters add metrics and hooks, which only checks read. */
export interface RolloutStep {
  /** Share of the replicas that run the new version, 0 to 100. */
  readonly percent: number;
  /** Seconds to wait once the share is available. @default 0 */
  readonly sleep?: number;
  /** Whether the step waits for a person instead. @default false */
  readonly pause?: boolean;
}

/** The settings of a rollout. Every adapter maps its spec to them. */
export interface RolloutSettings {
  /** The number of pods, 0 or more. */
  readonly replicas: number;
  /** Percentages do not decrease. Without steps, the new version replaces the old one as fast as availability allows. */
  readonly steps: readonly RolloutStep[];
  /** The number of pods that are allowed in addition to `replicas`; percentages are rounded up. */
  readonly maxSurge: IntOrPercent;
  /** The number of pods that may be missing; percentages are rounded down. */
  readonly maxUnavailable: IntOrPercent;
  /** Seconds without a new maximum of available pods, after which `progressDeadlineAction` applies. */
  readonly progressDeadlineSeconds: number;
  readonly progressDeadlineAction: DeadlineAction;
  /** The number of snapshots of old revisions that are kept. */
  readonly revisionHistoryLimit: number;
  /** The number of last revisions to which a rollout skips the steps; 0 means that no rollout skips steps. */
  readonly rollbackWindow: number;
  /** Whether a return to the stable version during a rollout takes the steps backwards, with their sleeps. */
  readonly rollbackInSteps: boolean;
  /** Seconds for which the Deployment of a replaced version is kept without pods. */
  readonly retainOldSeconds: number;
  /** Whether the steps are suspended. Missing pods are still replaced. */
  readonly paused: boolean;
}
