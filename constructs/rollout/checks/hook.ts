import { after } from '#lib/desired/clock.ts';
import type { HttpOutcome } from '#lib/desired/observation.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import type { AnalysisRecord, CheckRequest } from '../engine/checks.ts';
import {
  analysisRecordOf,
  effectKeyOf,
  factKeyOf,
  isAhead,
  type Judgement,
  nothing,
  pass,
  type Verdict,
} from './facts.ts';
import { HOOK_DEFAULTS, type Hook } from './schema.ts';

/** Seconds between the result of a confirmation or of a rollback hook and its next call. */
const ASK_AGAIN_SECONDS = 30;

/** Makes the members that the JSON bodies for hooks and for receivers of type `Webhook` have in common. */
export const bodyOf = ({ rollout, stepIndex, percent, canary, stable }: CheckRequest) => ({
  namespace: rollout.namespace,
  name: rollout.name,
  step: stepIndex,
  percent,
  revision: canary.hash,
  stableVersion: stable?.version ?? '',
  canaryVersion: canary.version,
});

/** Makes the HTTP effect that calls a hook. */
export const hookEffect = (hook: Hook, key: string, body: object): Effect => {
  const { name, type, url, credentials, certificateAuthority, timeoutSeconds, retries } = { ...HOOK_DEFAULTS, ...hook };
  const content = JSON.stringify({ ...body, type, hook: name });
  const trust = { ...(credentials && { credentials }), ...(certificateAuthority && { certificateAuthority }) };
  const request = { method: 'POST' as const, url, body: content, ...trust };
  return { effect: 'http', key, request, timeoutSeconds, retries };
};

type Ended = HttpOutcome & { readonly state: 'succeeded' | 'failed' };

/** Whether an HTTP effect has succeeded or failed. */
export const hasEffectEnded = (outcome: HttpOutcome): outcome is Ended =>
  outcome.state === 'succeeded' || outcome.state === 'failed';

type Result = Pick<AnalysisRecord, 'phase'> & { readonly message: string };

/**
 * The result of a call that failed. If the server responded, the reason contains the status, such as `Answered503`; otherwise
 * there was no response.
 */
const readFailure = (reason: string): Result => {
  const status = /^Answered(\d{3})$/.exec(reason)?.[1];
  return status === undefined
    ? { phase: 'Error', message: `no answer: ${reason}` }
    : { phase: 'Failed', message: `answered ${status}` };
};

/** The result of a call: a 2xx response passes, any other response fails, and a call without a response is an error. */
export const resultOf = (outcome: Ended): Result => {
  if (outcome.state === 'failed') return readFailure(outcome.reason);
  const { status } = outcome.value;
  return { phase: status >= 200 && status <= 299 ? 'Passed' : 'Failed', message: `answered ${status}` };
};

const isConfirmation = ({ type }: Hook): boolean => type.startsWith('Confirm');

const isAskedAgain = (hook: Hook): boolean => isConfirmation(hook) || hook.type === 'Rollback';

const recorded = (hook: Hook, request: CheckRequest, outcome: Ended): AnalysisRecord => {
  const key = factKeyOf(request, hook.name);
  const { count = 0 } = analysisRecordOf(request, key) ?? {};
  const { phase, message } = resultOf(outcome);
  const isOver = phase === 'Passed' || !isAskedAgain(hook);
  return {
    key,
    name: hook.name,
    hook: hook.type,
    step: request.stepIndex,
    revision: request.canary.hash,
    phase: isOver ? phase : 'Pending',
    message,
    at: outcome.at,
    count: count + 1,
    ...(!isOver && { nextAt: after(outcome.at, ASK_AGAIN_SECONDS) }),
  };
};

const rollback = ({ name }: Hook, record: AnalysisRecord | undefined): Verdict =>
  record?.phase === 'Passed'
    ? { verdict: 'abort', reason: 'RollbackRequested', message: `hook ${name} requests a rollback: ${record.message}` }
    : pass;

const verdictOf = (hook: Hook, record: AnalysisRecord | undefined): Verdict => {
  const { name, type } = hook;
  if (type === 'Rollback') return rollback(hook, record);
  if (record?.phase === 'Passed') return pass;
  const detail = `hook ${name}: ${record?.message ?? 'asked'}`;
  if (isConfirmation(hook)) return { verdict: 'wait', reason: 'WaitingForConfirmation', message: `${type}, ${detail}` };
  if (!record) return { verdict: 'wait', reason: 'WebhookPending', message: detail };
  return { verdict: record.phase === 'Failed' ? 'abort' : 'pause', reason: 'WebhookFailed', message: detail };
};

const eventsOf = ({ type }: Hook, { verdict, message }: Verdict): Judgement['events'] =>
  type !== 'Rollback' && (verdict === 'abort' || verdict === 'pause')
    ? [{ type: 'Warning', reason: 'WebhookFailed', message }]
    : [];

/** Whether no call is due now. `clock.reached` also schedules a pass for the time of the next call. */
const isNotDue = (record: AnalysisRecord | undefined, { clock }: CheckRequest): boolean =>
  record !== undefined && (record.nextAt === undefined || (!isAhead(record, clock) && !clock.reached(record.nextAt)));

/**
 * The verdict of a hook on a step.
 *
 * - `Pre` and `Step`: after a 2xx response, the rollout continues. After any other response, the rollout is aborted. Without a
 *   response, the rollout waits for a person.
 * - A confirmation is repeated every 30 s until a 2xx response comes.
 * - `Rollback` is repeated every 30 s, and a 2xx response aborts the rollout. A `Rollback` hook never delays a step.
 *
 * Guarantees: a call and its retries have one idempotency key, `<uid>/<revision>/<step>/<name>`. A call with a recorded result is
 * not repeated. From the second call of a confirmation or of `Rollback` on, the key also has the number of the call. Without the
 * number, a server that repeats its response to a known key would repeat its first refusal. If the history has another rollout of
 * the revision, all keys also have the start of the current rollout.
 */
export const judgeHook = (hook: Hook, request: CheckRequest): Judgement => {
  const record = analysisRecordOf(request, factKeyOf(request, hook.name));
  const before = { ...nothing, verdict: verdictOf(hook, record), records: record ? [record] : [] };
  if (isNotDue(record, request)) return before;
  const nth = (record?.count ?? 0) + 1;
  const key = effectKeyOf(request, hook.name, ...(nth === 1 ? [] : [String(nth)]));
  const outcome = request.outcomes.http(key);
  if (!hasEffectEnded(outcome)) return { ...before, effects: [hookEffect(hook, key, bodyOf(request))] };
  const next = recorded(hook, request, outcome);
  // This schedules a pass for the time of the next call.
  isNotDue(next, request);
  const verdict = verdictOf(hook, next);
  return { ...nothing, verdict, records: [next], events: eventsOf(hook, verdict) };
};
