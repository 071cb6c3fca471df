import { after, type Instant, microsOf } from '#lib/desired/clock.ts';
import type { HttpOutcome } from '#lib/desired/observation.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import type { AnalysisRecord, CheckRequest } from '../engine/checks.ts';
import { describeBounds, isWithin } from './bounds.ts';
import {
  analysisRecordOf,
  factKeyOf,
  isAhead,
  type Judgement,
  nothing,
  pass,
  runKeyOf,
  type Verdict,
} from './facts.ts';
import { type PrometheusSample, readSample } from './prometheus.ts';
import { fillQuery, podsOf, queryUrl } from './query.ts';
import { METRIC_DEFAULTS, type Metric, type WrittenMetric } from './schema.ts';

/** The input of {@link judgeMetric}. */
export interface MetricInput {
  readonly request: CheckRequest;
  /** The Prometheus server for metrics without `address`. A spec with such a metric is invalid if there is no server. */
  readonly prometheusUrl: string | undefined;
}

/** Timeout of the request of a sample, in seconds. A failed request is not retried, because the next sample follows. */
const TIMEOUT_SECONDS = 10;

const queryOf = (metric: Metric, { canary, stable, stepIndex, percent, rollout }: CheckRequest): string =>
  fillQuery(metric.query, {
    canary: canary.version,
    canaryHash: canary.hash,
    canaryPods: podsOf(canary.name),
    stable: stable?.version ?? '',
    stableHash: stable?.hash ?? '',
    stablePods: stable ? podsOf(stable.name) : '',
    step: String(stepIndex),
    percent: String(percent),
    name: rollout.name,
    namespace: rollout.namespace,
  });

const effectsOf = (metric: Metric, key: string, { request, prometheusUrl }: MetricInput): readonly Effect[] => {
  const address = metric.address ?? prometheusUrl;
  if (address === undefined) return [];
  const { credentials, certificateAuthority } = metric;
  const url = queryUrl(address, queryOf(metric, request));
  const trust = { ...(credentials && { credentials }), ...(certificateAuthority && { certificateAuthority }) };
  const get = { method: 'GET' as const, url, ...trust };
  return [{ effect: 'http', purpose: 'metric', key, request: get, timeoutSeconds: TIMEOUT_SECONDS, retries: 0 }];
};

type Result = Pick<AnalysisRecord, 'phase' | 'message' | 'value'>;

const noDataPhase = { Inconclusive: 'Inconclusive', Fail: 'Failed', Pass: 'Passed' } as const;

const judge = ({ onNoData, ...bounds }: Metric, sample: PrometheusSample): Result => {
  if (sample.sample === 'error') return { phase: 'Error', message: sample.why };
  if (sample.sample === 'noData') return { phase: noDataPhase[onNoData], message: sample.why };
  const { text: value } = sample;
  const message = `${value}, should be ${describeBounds(bounds)}`;
  return { phase: isWithin(sample.value, bounds) ? 'Passed' : 'Failed', message, value };
};

const recorded = (
  metric: Metric,
  request: CheckRequest,
  { sample, at }: { readonly sample: PrometheusSample; readonly at: Instant },
): AnalysisRecord => {
  const key = metricKey(metric, request);
  const { count = 0, failures = 0, errors = 0, inconclusive = 0 } = analysisRecordOf(request, key) ?? {};
  const result = judge(metric, sample);
  const { phase } = result;
  return {
    key,
    name: metric.name,
    hook: 'Metric',
    step: request.stepIndex,
    revision: request.canary.hash,
    ...result,
    at,
    nextAt: after(at, metric.intervalSeconds),
    count: count + 1,
    failures: failures + (phase === 'Failed' ? 1 : 0),
    errors: phase === 'Error' ? errors + 1 : 0,
    // Only a sample that passed or failed resets this count. If errors reset it, a metric that alternates between errors and
    // samples without data would never reach a limit.
    inconclusive: phase === 'Inconclusive' ? inconclusive + 1 : phase === 'Error' ? inconclusive : 0,
  };
};

const metricKey = ({ name }: Metric, request: CheckRequest): string => factKeyOf(request, 'metric', name);

/**
 * Whether a sample was taken at or after the end of the sleep. While the rollout is paused, or the step waits for a person,
 * `sleepUntil` is absent, and no sample is the last one.
 */
const isLast = ({ at }: AnalysisRecord, { sleepUntil, clock }: Pick<CheckRequest, 'sleepUntil' | 'clock'>): boolean =>
  at !== undefined && sleepUntil !== undefined && microsOf(at) >= microsOf(sleepUntil) && clock.reached(at);

/** @returns the final verdict of a record, or `undefined` when the verdict depends on further samples */
const decided = (metric: Metric, record: AnalysisRecord | undefined, request: CheckRequest): Verdict | undefined => {
  if (!record) return undefined;
  const { name, phase, failures = 0, errors = 0, inconclusive = 0, message } = record;
  const said = `metric ${name}: ${message}`;
  if (failures > metric.failureLimit) return { verdict: 'abort', reason: 'MetricFailed', message: said };
  if (inconclusive > metric.inconclusiveLimit) return { verdict: 'pause', reason: 'MetricInconclusive', message: said };
  if (errors > metric.errorLimit) return { verdict: 'pause', reason: 'MetricError', message: said };
  return phase === 'Passed' && isLast(record, request) ? pass : undefined;
};

const sampleOf = (
  { series }: Metric,
  outcome: HttpOutcome & { readonly state: 'succeeded' | 'failed' },
): PrometheusSample =>
  outcome.state === 'succeeded'
    ? readSample(outcome.value, series)
    : { sample: 'error', why: `no answer: ${outcome.reason}` };

const waiting = ({ name }: Metric): Verdict => ({
  verdict: 'wait',
  reason: 'MetricPending',
  message: `metric ${name} is sampled`,
});

/**
 * Whether a sample is due. The first sample is due after the initial delay, even if the sleep is shorter. Further samples are due
 * after the interval, and one more when the sleep is over. If the last sample has a time in the future, the next sample is due at
 * once. Each call of `clock.reached` also schedules a pass for its time.
 */
const isDue = (
  { initialDelaySeconds }: Metric,
  record: AnalysisRecord | undefined,
  { clock, sleepUntil, stepReadyAt }: CheckRequest,
): boolean => {
  if (stepReadyAt === undefined || !clock.reached(after(stepReadyAt, initialDelaySeconds))) return false;
  const isOver = sleepUntil !== undefined && clock.reached(sleepUntil);
  if (!record || (isOver && !isLast(record, { sleepUntil, clock })) || isAhead(record, clock)) return true;
  return record.nextAt !== undefined && clock.reached(record.nextAt);
};

/**
 * The key of the next sample. Each sample has its own key, because the loop sends only one request for each key. The key of the
 * next sample changes when the sleep ends. The last sample is therefore never the response to a request from before the end.
 */
const sampleKey = (metric: Metric, record: AnalysisRecord | undefined, request: CheckRequest): string => {
  const { clock, sleepUntil } = request;
  const isOver = sleepUntil !== undefined && clock.reached(sleepUntil);
  const nth = `${(record?.count ?? 0) + 1}${isOver ? '-end' : ''}`;
  return `${metricKey(metric, request)}/${runKeyOf(request)}/${nth}`;
};

const failed = (verdict: Verdict): boolean => verdict.verdict === 'abort' || verdict.verdict === 'pause';

const sampled = (metric: Metric, record: AnalysisRecord | undefined, input: MetricInput): Judgement => {
  const { request } = input;
  const before = { ...nothing, verdict: waiting(metric), records: record ? [record] : [] };
  if (!isDue(metric, record, request)) return before;
  const key = sampleKey(metric, record, request);
  const outcome = request.outcomes.http(key);
  if (outcome.state === 'none' || outcome.state === 'running') {
    return { ...before, effects: effectsOf(metric, key, input) };
  }
  const next = recorded(metric, request, { sample: sampleOf(metric, outcome), at: outcome.at });
  const verdict = decided(metric, next, request);
  if (!verdict) isDue(metric, next, request);
  const isBad = verdict !== undefined && failed(verdict) && !metric.dryRun;
  const events = isBad ? [{ type: 'Warning' as const, reason: 'AnalysisFailed', message: verdict.message }] : [];
  return { ...nothing, verdict: verdict ?? waiting(metric), records: [next], events };
};

/**
 * The verdict of a metric on a step.
 *
 * Flow: pods ready → `initialDelaySeconds` → a sample every `intervalSeconds` → sleep over → one more sample → its verdict.
 *
 * Guarantees: more than `failureLimit` failures abort the rollout. More than `errorLimit` consecutive errors pause the rollout.
 * More than `inconclusiveLimit` inconclusive samples since the last pass or failure pause the rollout, too. The metric passes
 * when a sample after the sleep passes. While the recorded samples give a verdict, no further sample is taken. A metric with
 * `dryRun` is sampled, but always passes. After a restart of the operator, recorded samples are not taken again.
 *
 * Caveats: samples that were due while no operator ran are not taken later.
 */
export const judgeMetric = (written: WrittenMetric, input: MetricInput): Judgement => {
  const { request } = input;
  const metric = { ...METRIC_DEFAULTS, ...written };
  const record = analysisRecordOf(request, metricKey(metric, request));
  const verdict = decided(metric, record, request);
  const judgement = record && verdict ? { ...nothing, verdict, records: [record] } : sampled(metric, record, input);
  return metric.dryRun ? { ...judgement, verdict: pass } : judgement;
};
