import { microsOf } from '#lib/desired/clock.ts';
import type { DesiredEvent, Effect } from '#lib/desired/result/desired.ts';
import { type AnalysisRecord, type CheckRequest, type Milestone, NOTICE } from '../engine/checks.ts';
import { effectKeyOf, factKeyOf, type Judgement, nothing, type RolloutChecks } from './facts.ts';
import { bodyOf, hasEffectEnded, hookEffect, resultOf } from './hook.ts';
import type { Hook, Notice } from './schema.ts';

/**
 * The number of retries of a message to an entry of `notify`, and the timeout of each request in seconds. Together, they allow
 * about a minute for the delivery.
 */
const RETRIES = 4;
const TIMEOUT_SECONDS = 10;

/** Maximum number of messages that are being sent at the same time; the others wait. */
const MAX_EFFECTS = 8;

/** Maximum number of messages that are not delivered yet. If there are more, the oldest messages are dropped. */
const MAX_PENDING = 32;

const MESSAGE_LENGTH = 256;

const SECRET_KEY = 'url';

/** Whether a hook receives a milestone. An `Event` hook receives all milestones, a `Post` hook only the end of the rollout. */
const receives = ({ type }: Hook, sort: Milestone['sort']): boolean =>
  type === 'Event' || (type === 'Post' && (sort === 'completed' || sort === 'aborted'));

/**
 * Receivers of a milestone. `hook:<name>` is a hook; `rollout:<n>` and `step:<n>` are entries of `notify` of the whole rollout
 * and of the step.
 */
const targetsOf = (
  { webhooks = [], notify = [], steps }: RolloutChecks,
  { stepIndex }: CheckRequest,
  { sort }: Milestone,
) => {
  const step = steps[stepIndex];
  const hooks = [...webhooks, ...(step?.webhooks ?? [])].filter((hook) => receives(hook, sort));
  const places = [...notify.map((_, index) => `rollout:${index}`), ...(step?.notify ?? []).map((_, i) => `step:${i}`)];
  return [
    // A rollout ends only once, so a `Post` hook needs only one key. Other milestones can happen several times.
    ...hooks.map(({ name, type }) => ({ target: `hook:${name}`, isOnce: type === 'Post' })),
    ...places.map((target) => ({ target, isOnce: false })),
  ];
};

/** Whether a record is a message that waits to be sent or delivered. */
export const isPendingNotice = ({ hook, phase }: AnalysisRecord): boolean => hook === NOTICE && phase === 'Pending';

const textOf = ({ rollout, canary }: CheckRequest, { sort, message }: Milestone): string =>
  `${rollout.namespace}/${rollout.name} ${canary.version} ${sort}: ${message}`.slice(0, MESSAGE_LENGTH);

/**
 * A record for each milestone of this pass and each of its receivers. This pass stores the records, and the next pass sends
 * them.
 */
const newNotices = (checks: RolloutChecks, request: CheckRequest): readonly AnalysisRecord[] =>
  request.milestones.flatMap((milestone) =>
    targetsOf(checks, request, milestone).map(({ target, isOnce }) => {
      const at = request.clock.now();
      const id = `${milestone.sort}-${microsOf(at).toString(36)}`;
      const [, name = ''] = target.split(':');
      return {
        key: isOnce ? effectKeyOf(request, name) : factKeyOf(request, 'notice', target, id),
        name: target,
        hook: NOTICE,
        step: request.stepIndex,
        revision: request.canary.hash,
        phase: 'Pending' as const,
        value: milestone.sort,
        message: textOf(request, milestone),
        at,
      };
    }),
  );

/** @see https://docs.slack.dev/messaging/formatting-message-text#escaping */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

interface Message {
  readonly record: AnalysisRecord;
  readonly checks: RolloutChecks;
  readonly request: CheckRequest;
}

/**
 * Makes the members that describe the milestone. The stable version and the percentage of the step are those of the current pass.
 */
const contentOf = ({ record, request, checks: { steps } }: Message) => ({
  ...bodyOf(request),
  revision: record.revision,
  canaryVersion: request.versionOf(record.revision),
  step: record.step,
  percent: steps[record.step]?.percent ?? 100,
  event: record.value,
  text: record.message,
});

const noticeEffect = ({ type, url, secretName }: Notice, message: Message): Effect[] => {
  const where = secretName === undefined ? url : { secretName, key: SECRET_KEY };
  if (where === undefined) return [];
  const { key, message: text = '' } = message.record;
  const body = JSON.stringify(type === 'Slack' ? { text: slackText(text) } : { type, ...contentOf(message) });
  const request = { method: 'POST' as const, url: where, body };
  return [{ effect: 'http', key, request, timeoutSeconds: TIMEOUT_SECONDS, retries: RETRIES }];
};

/** @returns no effect if the spec no longer contains the receiver */
const effectsOf = (message: Message): Effect[] => {
  const { record, checks } = message;
  const { webhooks = [], notify = [], steps } = checks;
  const step = steps[record.step];
  const [where, name = ''] = record.name.split(':');
  if (where === 'hook') {
    const hook = [...webhooks, ...(step?.webhooks ?? [])].find((other) => other.name === name);
    return hook ? [hookEffect(hook, record.key, contentOf(message))] : [];
  }
  const notice = (where === 'rollout' ? notify : step?.notify)?.[Number(name)];
  return notice ? noticeEffect(notice, message) : [];
};

const failure = ({ name, value }: AnalysisRecord, message: string): DesiredEvent => {
  const isHook = name.startsWith('hook:');
  const reason = isHook ? 'WebhookFailed' : 'NoticeFailed';
  return { type: 'Warning', reason, message: `${name} did not receive ${value}: ${message}` };
};

const deliverMessage = (message: Message): Judgement => {
  const effects = effectsOf(message);
  const [effect] = effects;
  if (!effect) return nothing;
  const outcome = message.request.outcomes.http(effect.key);
  if (!hasEffectEnded(outcome)) return { ...nothing, records: [message.record], effects };
  const result = resultOf(outcome);
  return { ...nothing, events: result.phase === 'Passed' ? [] : [failure(message.record, result.message)] };
};

/**
 * Sends milestones to receivers of notifications, and to hooks of the types `Event` and `Post`.
 *
 * Flow: a milestone → a record for each receiver, stored with the milestone → sent in the next pass → the record is removed.
 *
 * Guarantees: a rollout never waits for a delivery. After a crash, a message is sent again with the same key, unless its record
 * was removed already. A receiver may therefore get a message twice.
 *
 * Caveats: a message is dropped after its last failed attempt; a Warning event reports the failure. If more than `MAX_PENDING`
 * messages wait, the oldest are dropped. A message is also dropped if the spec no longer has its receiver.
 */
export const sendMilestones = (checks: RolloutChecks, request: CheckRequest): Judgement => {
  const pending = request.analysis.filter(isPendingNotice);
  const answered = pending.map((record) => deliverMessage({ record, checks, request }));
  const waiting = [...answered.flatMap(({ records }) => records), ...newNotices(checks, request)];
  return {
    ...nothing,
    records: waiting.slice(-MAX_PENDING),
    effects: answered.flatMap(({ effects }) => effects).slice(0, MAX_EFFECTS),
    events: answered.flatMap(({ events }) => events),
  };
};
