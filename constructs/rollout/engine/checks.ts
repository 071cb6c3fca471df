import type { Clock, Instant } from '#lib/desired/clock.ts';
import type { Outcomes } from '#lib/desired/observation.ts';
import type { DesiredEvent, Effect } from '#lib/desired/result/desired.ts';
import type { RolloutRevision } from './revision.ts';

/**
 * The points of a rollout at which checks run:
 *
 * - `ConfirmRollout`: before step 0 starts; not if the steps are skipped
 * - `Pre`: before each step starts
 * - `Step`: from the moment the pods of a step are available until its sleep is over, including metrics
 * - `ConfirmStep`: when the sleep is over and the checks of `Step` have passed, before the step ends
 * - `ConfirmPromotion`: before the last step, which has 100 percent, starts
 * - `Post`: after a promotion, except the promotion of a first version
 * - `Rollback`: in every pass of a rollout that is in its steps and not paused; the verdict `abort` ends the rollout
 * - `Event`: in every pass, unless an obstacle blocks the rollout; sends the milestones to their receivers
 *
 * After the command `promote-full`, only `Rollback`, `Post` and `Event` remain.
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

/** The value of `hook` in the record of a message. The record of a check has the type of its hook, or `Metric`. */
export const NOTICE = 'Notice';

/** An event in a rollout that notifications report. */
export interface Milestone {
  readonly sort: 'started' | 'step' | 'paused' | 'aborted' | 'completed';
  readonly message: string;
}

/**
 * An entry of `status.analysis`: the result of one check, or a message that waits to be sent. No two records have the same
 * `key`.
 */
export interface AnalysisRecord {
  readonly key: string;
  readonly name: string;
  readonly hook: string;
  /** The index of the step, from 0. */
  readonly step: number;
  /** Hash of the revision that was checked. */
  readonly revision: string;
  readonly phase: 'Pending' | 'Passed' | 'Failed' | 'Inconclusive' | 'Error';
  readonly message?: string;
  /** The last measured value, as text. In the record of a message, the sort of the milestone. */
  readonly value?: string;
  /** The time of the last measurement or call. In the record of a message, the time of the milestone. */
  readonly at?: Instant;
  readonly nextAt?: Instant;
  readonly count?: number;
  readonly failures?: number;
  /** The number of consecutive samples that were errors. */
  readonly errors?: number;
  /** The number of inconclusive samples since the last sample that passed or failed. */
  readonly inconclusive?: number;
}

/** The input of the checks at one point of a rollout. */
export interface CheckRequest {
  readonly hook: CheckPoint;
  readonly rollout: { readonly name: string; readonly namespace: string; readonly uid: string };
  /** The stable revision. Absent in a first rollout, and if the revision is lost. */
  readonly stable?: RolloutRevision;
  readonly canary: RolloutRevision;
  /** Returns the version of a revision by its hash; the hash if the revision is not known. */
  readonly versionOf: (hash: string) => string;
  /**
   * The index of the step in `RolloutSettings.steps`, from 0. A last step that the spec omits has the length of `steps` as index.
   */
  readonly stepIndex: number;
  readonly percent: number;
  /**
   * The start of this rollout, or of the last one if none is in progress. The time distinguishes rollouts of the same revision.
   */
  readonly startedAt?: Instant;
  /**
   * Whether the history has another rollout of the revision. If so, the effects of the checks must have new keys. @default false
   */
  readonly isRepeat?: boolean;
  /** The time at which the pods of this step became available. Absent until then. */
  readonly stepReadyAt?: Instant;
  /**
   * The time at which the sleep of this step ends. Absent until the pods of the step are available, while the rollout is paused,
   * and while the step waits for a person.
   */
  readonly sleepUntil?: Instant;
  /** `status.analysis` with the changes that earlier checks of this pass have made. */
  readonly analysis: readonly AnalysisRecord[];
  readonly outcomes: Outcomes;
  readonly clock: Clock;
  /** The milestones of this pass; empty at all points except `Event`. */
  readonly milestones: readonly Milestone[];
}

/** The result of the checks at one point of a rollout. */
export interface CheckAnswer {
  /** The next action of the engine: continue, run the checks again later, pause until a person resumes, or abort the rollout. */
  readonly verdict: 'pass' | 'wait' | 'pause' | 'abort';
  /** The reason of the verdict, in CamelCase, such as `MetricFailed`. */
  readonly reason: string;
  /** A text for users that contains no times and no running counts. */
  readonly message: string;
  readonly effects: readonly Effect[];
  /** The complete new value of `status.analysis`. */
  readonly analysis: readonly AnalysisRecord[];
  /** Events that are written together with the status that stores `analysis`. */
  readonly events: readonly DesiredEvent[];
}

/** The checks of a rollout. Pure: equal requests get equal answers. */
export type Checks = (request: CheckRequest) => CheckAnswer;
