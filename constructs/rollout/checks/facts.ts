import { type Clock, microsOf } from '#lib/desired/clock.ts';
import type { DesiredEvent, Effect } from '#lib/desired/result/desired.ts';
import type { AnalysisRecord, CheckAnswer, CheckRequest } from '../engine/checks.ts';
import type { Hook, Notice, WrittenMetric } from './schema.ts';

/** A step, as far as checks are concerned. */
export interface StepChecks {
  readonly percent: number;
  readonly metrics?: readonly WrittenMetric[] | undefined;
  readonly webhooks?: readonly Hook[] | undefined;
  readonly notify?: readonly Notice[] | undefined;
}

/** The checks of a spec. */
export interface RolloutChecks {
  /** Hooks of the whole rollout. */
  readonly webhooks?: readonly Hook[] | undefined;
  readonly notify?: readonly Notice[] | undefined;
  readonly steps: readonly StepChecks[];
}

/** The verdict of one check, with its reasons. */
export type Verdict = Pick<CheckAnswer, 'verdict' | 'reason' | 'message'>;

/** The result of one check, or of several. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Results of these checks, to be kept in status. */
  readonly records: readonly AnalysisRecord[];
  readonly effects: readonly Effect[];
  /** Events and effects for the change of status by the records. */
  readonly events: readonly DesiredEvent[];
}

/** The verdict of a check that passes: the rollout continues. */
export const pass: Verdict = { verdict: 'pass', reason: 'ChecksPassed', message: '' };

/** Nothing to check. */
export const nothing: Judgement = { verdict: pass, records: [], effects: [], events: [] };

const ORDER: readonly Verdict['verdict'][] = ['pass', 'wait', 'pause', 'abort'];

/** Returns the worst verdict; among equal ones, the first. */
const worst = (verdicts: readonly Verdict[]): Verdict => {
  const rank = ({ verdict }: Verdict): number => ORDER.indexOf(verdict);
  return verdicts.reduce((left, right) => (rank(right) > rank(left) ? right : left), pass);
};

/** Combines several judgements into one. */
export const together = (judgements: readonly Judgement[]): Judgement => ({
  verdict: worst(judgements.map(({ verdict }) => verdict)),
  records: judgements.flatMap(({ records }) => records),
  effects: judgements.flatMap(({ effects }) => effects),
  events: judgements.flatMap(({ events }) => events),
});

/** One after the other: the second is judged once the first has passed. */
export const inTurn = (first: Judgement, second: () => Judgement): Judgement =>
  first.verdict.verdict === 'pass' ? together([first, second()]) : first;

/**
 * The key of the stored result of a check at a step.
 *
 * @param parts - names below the step
 */
export const factKeyOf = ({ canary, stepIndex }: CheckRequest, ...parts: readonly string[]): string =>
  [canary.hash, stepIndex, ...parts].join('/');

/** Distinguishes this rollout of a revision from others of the same revision. */
export const runOf = ({ startedAt }: CheckRequest): string =>
  startedAt === undefined ? '0' : microsOf(startedAt).toString(36);

/**
 * The key of the effect of a check. The loop puts the uid in front of it, which gives the idempotency key. A revision that is
 * rolled out again, after an abort or after another revision, is checked again, with new keys.
 */
export const effectKeyOf = (request: CheckRequest, ...parts: readonly string[]): string =>
  factKeyOf(request, ...parts, ...(request.isRepeat === true ? [runOf(request)] : []));

/** The record of a key. */
export const analysisRecordOf = ({ analysis }: CheckRequest, key: string): AnalysisRecord | undefined =>
  analysis.find((record) => record.key === key);

/** True for a result of the future: the clock was set back since, or another one dated it. When it is due again is not known by it. */
export const isAhead = ({ at }: AnalysisRecord, clock: Clock): boolean => at !== undefined && !clock.reached(at);
