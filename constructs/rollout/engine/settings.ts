import type { IntOrPercent } from '#lib/workload/fenceposts.ts';

/** The action of a rollout without progress: it rolls back, waits for a person, or only reports. */
export type DeadlineAction = 'Abort' | 'Pause' | 'Report';

/** One step of a rollout for the engine; adapters add metrics and hooks, which only checks read. */
export interface RolloutStep {
  /** Share of the replicas that run the new version, 0 to 100. */
  readonly percent: number;
  /** Seconds to wait once the share is available. @default 0 */
  readonly sleep?: number;
  /** Wait for a person instead. @default false */
  readonly pause?: boolean;
}

/** The settings of a rollout. Every adapter maps its spec to them. */
export interface RolloutSettings {
  /** 0 or more. */
  readonly replicas: number;
  /** Percentages do not decrease. Without steps, the new version replaces the old one as fast as availability allows. */
  readonly steps: readonly RolloutStep[];
  /** Pods beyond `replicas`; percentages are rounded up. */
  readonly maxSurge: IntOrPercent;
  /** Pods that may be missing; percentages are rounded down. */
  readonly maxUnavailable: IntOrPercent;
  /** Seconds without a new high of available pods until `progressDeadlineAction`. */
  readonly progressDeadlineSeconds: number;
  readonly progressDeadlineAction: DeadlineAction;
  /** Snapshots of old revisions that are kept. */
  readonly revisionHistoryLimit: number;
  /** A change back to one of this many last revisions skips the steps; 0 skips none. */
  readonly rollbackWindow: number;
  /** Whether a return to the stable version during a rollout takes the steps backwards, with their sleeps. */
  readonly rollbackInSteps: boolean;
  /** Seconds that the Deployment of a replaced version is kept, without pods. */
  readonly retainOldSeconds: number;
  /** Freezes the steps; availability is still repaired. */
  readonly paused: boolean;
}
