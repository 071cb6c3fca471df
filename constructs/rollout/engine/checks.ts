import type { Clock, Instant } from '#lib/desired/clock.ts';
import type { Outcomes } from '#lib/desired/observation.ts';
import type { DesiredEvent, Effect } from '#lib/desired/result/desired.ts';
import type { RolloutRevision } from './revision.ts';

/**
 * The points of a rollout at which checks run:
 *
 * - `ConfirmRollout`: before the first pod of the new version is created
 * - `Pre`: before the pods of each step are created
 * - `Step`: from the moment the pods of a step are available until its sleep is over, including metrics
 * - `ConfirmStep`: when the sleep is over, before the next step
 * - `ConfirmPromotion`: before the step to 100 percent
 * - `Post`: once the new version is the stable one
 * - `Rollback`: at every pass of a running rollout; the verdict `abort` ends it
 * - `Event`: at every pass; sends milestones to their receivers
 */
export type CheckPoint =
  | 'ConfirmRollout'
  | 'Pre'
  | 'Step'
  | 'ConfirmStep'
  | 'ConfirmPromotion'
  | 'Post'
  | 'Rollback'
  | 'Event';

/** In place of the hook in the record of a message. */
export const NOTICE = 'Notice';

/** An event worth a notification. */
export interface Milestone {
  readonly sort: 'started' | 'step' | 'paused' | 'aborted' | 'completed';
  readonly message: string;
}

/** The result of one check, kept in `status.analysis`: at most one for each `key`. */
export interface AnalysisRecord {
  /** Distinguishes records; made by the checks. */
  readonly key: string;
  readonly name: string;
  readonly hook: string;
  /** Number of the step, from 0. */
  readonly step: number;
  /** Hash of the revision that was checked. */
  readonly revision: string;
  readonly phase: 'Pending' | 'Passed' | 'Failed' | 'Inconclusive' | 'Error';
  readonly message?: string;
  /** The last value measured, as text. */
  readonly value?: string;
  /** When it was measured. */
  readonly at?: Instant;
  /** When to measure next. */
  readonly nextAt?: Instant;
  readonly count?: number;
  readonly failures?: number;
  /** In a row. */
  readonly errors?: number;
  /** Without data, since there were any. */
  readonly inconclusive?: number;
}

/** The request for checks at a point of a rollout. */
export interface CheckRequest {
  readonly hook: CheckPoint;
  readonly rollout: { readonly name: string; readonly namespace: string; readonly uid: string };
  /** The revision that runs if the rollout fails; absent in a first deployment. */
  readonly stable?: RolloutRevision;
  readonly canary: RolloutRevision;
  /** Number of the step, from 0, in `Settings.steps`; an implicit last step has the number of steps. */
  readonly stepIndex: number;
  readonly percent: number;
  /** The start of this rollout; earlier records belong to another one. */
  readonly startedAt?: Instant;
  /** The revision was completely rolled out before: its checks have keys of their own. @default false */
  readonly isRepeat?: boolean;
  /** When the share of this step became available. */
  readonly stepReadyAt?: Instant;
  /** When its sleep ends; absent while it is frozen, and in a step that waits for a person. */
  readonly sleepUntil?: Instant;
  /** `status.analysis`, with the changes by earlier checks of this pass. */
  readonly analysis: readonly AnalysisRecord[];
  readonly outcomes: Outcomes;
  readonly clock: Clock;
  /** The milestones of this pass; only with `Event`. */
  readonly milestones: readonly Milestone[];
}

/** The result of checks. */
export interface CheckAnswer {
  /** Go on, ask again, wait for a person, or take the rollout back. */
  readonly verdict: 'pass' | 'wait' | 'pause' | 'abort';
  /** CamelCase, such as `AnalysisFailed`; for conditions. */
  readonly reason: string;
  /** Still: no times, no counts that change by themselves. */
  readonly message: string;
  readonly effects: readonly Effect[];
  /** `status.analysis` from now on, whole. */
  readonly analysis: readonly AnalysisRecord[];
  /** Events to emit with the status that stores `analysis`. */
  readonly events: readonly DesiredEvent[];
}

/** Pure: the same request, the same answer. */
export type Checks = (request: CheckRequest) => CheckAnswer;
