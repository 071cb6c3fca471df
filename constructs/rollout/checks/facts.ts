import { type Clock, microsOf } from '#lib/desired/clock.ts';
import type { DesiredEvent, Effect } from '#lib/desired/result/desired.ts';
import type { AnalysisRecord, CheckAnswer, CheckRequest } from '../engine/checks.ts';
import type { Hook, Notice, WrittenMetric } from './schema.ts';

/** The fields of a step that the checks read. */
export interface StepChecks {
  readonly percent: number;
  readonly metrics?: readonly WrittenMetric[] | undefined;
  readonly webhooks?: readonly Hook[] | undefined;
  readonly notify?: readonly Notice[] | undefined;
}

/** The fields of a spec that the checks read. */
export interface RolloutChecks {
  readonly webhooks?: readonly Hook[] | undefined;
  readonly notify?: readonly Notice[] | undefined;
  readonly steps: readonly StepChecks[];
}

/** A verdict of the checks, with its reason and its message. */
export type Verdict = Pick<CheckAnswer, 'verdict' | 'reason' | 'message'>;

/** The result of one or several checks. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Records of the checks, for `status.analysis`. */
  readonly records: readonly AnalysisRecord[];
  readonly effects: readonly Effect[];
  /** Events to emit together with the status that stores the records. */
  readonly events: readonly DesiredEvent[];
}

/** The verdict of a check that passes: the rollout continues. */
export const pass: Verdict = { verdict: 'pass', reason: 'ChecksPassed', message: '' };

/** The result when there is nothing to check. */
export const nothing: Judgement = { verdict: pass, records: [], effects: [], events: [] };

const ORDER: readonly Verdict['verdict'][] = ['pass', 'wait', 'pause', 'abort'];

/** Returns the first of several equally bad verdicts. */
const worst = (verdicts: readonly Verdict[]): Verdict => {
  const rank = ({ verdict }: Verdict): number => ORDER.indexOf(verdict);
  return verdicts.reduce((left, right) => (rank(right) > rank(left) ? right : left), pass);
};

/** Combines several judgements into one, with the worst of their verdicts. */
export const together = (judgements: readonly Judgement[]): Judgement => ({
  verdict: worst(judgements.map(({ verdict }) => verdict)),
  records: judgements.flatMap(({ records }) => records),
  effects: judgements.flatMap(({ effects }) => effects),
  events: judgements.flatMap(({ events }) => events),
});

/** Combines two judgements. The second judgement is computed only if the first one passes. */
export const inTurn = (first: Judgement, second: () => Judgement): Judgement =>
  first.verdict.verdict === 'pass' ? together([first, second()]) : first;

/**
 * The key of the stored result of a check at a step.
 *
 * @param parts - further parts of the key, after the revision and the step
 */
export const factKeyOf = ({ canary, stepIndex }: CheckRequest, ...parts: readonly string[]): string =>
  [canary.hash, stepIndex, ...parts].join('/');

/** The part of a key that distinguishes this rollout of a revision from other rollouts of the same revision. */
export const runKeyOf = ({ startedAt }: CheckRequest): string =>
  startedAt === undefined ? '0' : microsOf(startedAt).toString(36);

/**
 * The key of the effect of a check. The loop puts the uid of the resource before the key, and uses the result as idempotency
 * key. A revision that is rolled out again, after an abort or after another revision, is checked again, with new keys.
 */
export const effectKeyOf = (request: CheckRequest, ...parts: readonly string[]): string =>
  factKeyOf(request, ...parts, ...(request.isRepeat === true ? [runKeyOf(request)] : []));

/** Finds the record with this key; returns `undefined` if there is none. */
export const analysisRecordOf = ({ analysis }: CheckRequest, key: string): AnalysisRecord | undefined =>
  analysis.find((record) => record.key === key);

/**
 * Whether the time of a record is in the future, for example because the clock was set back. `nextAt` was computed from this
 * time, so `nextAt` is wrong, too.
 */
export const isAhead = ({ at }: AnalysisRecord, clock: Clock): boolean => at !== undefined && !clock.reached(at);
