import type { AnalysisRecord, CheckRequest, Checks, CheckPoint as Point } from '../engine/checks.ts';
import { inTurn, type Judgement, nothing, type RolloutChecks, together } from './facts.ts';
import { judgeHook } from './hook.ts';
import { judgeMetric } from './metric.ts';
import { isPendingNotice, tellMilestones } from './notices.ts';
import type { Hook, HookType } from './schema.ts';

/** The input of the checks of a rollout. */
export interface ChecksOptions {
  /** The server that metrics without an address of their own ask. @default that of the operator, `PROMETHEUS_URL` */
  readonly prometheusUrl?: string | undefined;
}

/** Most results in status; those of old steps go first, messages that wait never. */
const MAX_RECORDS = 64;

interface Context extends ChecksOptions {
  readonly checks: RolloutChecks;
  readonly request: CheckRequest;
}

const hooksHere = ({ checks, request }: Context): readonly Hook[] => checks.steps[request.stepIndex]?.webhooks ?? [];

/** Those of the whole rollout, and of the step. */
const hooksOf = (context: Context, type: HookType): readonly Hook[] =>
  [...(context.checks.webhooks ?? []), ...hooksHere(context)].filter((hook) => hook.type === type);

const judgeHooks = (hooks: readonly Hook[], { request }: Context): Judgement =>
  together(hooks.map((hook) => judgeHook(hook, request)));

/** Those of the whole rollout come before its first pods, at step 0; those of a step before the step's. */
const judgePre = (context: Context): Judgement => {
  const { request } = context;
  if (request.stepIndex === 0) return judgeHooks(hooksOf(context, 'Pre'), context);
  const here = hooksHere(context);
  const of = (type: HookType) =>
    judgeHooks(
      here.filter((hook) => hook.type === type),
      context,
    );
  return inTurn(of('ConfirmRollout'), () => of('Pre'));
};

const judgeSampled = (context: Context): Judgement => {
  const { checks, request, prometheusUrl } = context;
  if (request.stepReadyAt === undefined) return nothing;
  const metrics = checks.steps[request.stepIndex]?.metrics ?? [];
  const judged = metrics.map((metric) => judgeMetric(metric, { request, prometheusUrl }));
  return together([judgeHooks(hooksOf(context, 'Step'), context), ...judged]);
};

const judges: Readonly<Record<Point, (context: Context) => Judgement>> = {
  ConfirmRollout: (context) => judgeHooks(hooksOf(context, 'ConfirmRollout'), context),
  Pre: judgePre,
  Step: judgeSampled,
  ConfirmStep: (context) => judgeHooks(hooksOf(context, 'ConfirmStep'), context),
  ConfirmPromotion: (context) => judgeHooks(hooksOf(context, 'ConfirmPromotion'), context),
  // Sent with the milestones, because nothing waits for them.
  Post: () => nothing,
  Rollback: (context) => judgeHooks(hooksOf(context, 'Rollback'), context),
  Event: ({ checks, request }) => tellMilestones(checks, request),
};

const byPlace = (left: AnalysisRecord, right: AnalysisRecord): number =>
  left.step - right.step || (left.key < right.key ? -1 : 1);

/**
 * Results of another revision do not count for this rollout; those of an earlier rollout of the same revision were removed at
 * its start.
 */
const isOfRollout = ({ canary }: CheckRequest, { revision }: AnalysisRecord): boolean => revision === canary.hash;

/** The new results in place of the old; messages that wait have a list of their own within. */
const analysisAfter = (
  { analysis, hook }: CheckRequest,
  news: readonly AnalysisRecord[],
): readonly AnalysisRecord[] => {
  const isTelling = hook === 'Event';
  const fresh = new Set(news.map(({ key }) => key));
  const stays = (record: AnalysisRecord): boolean => (isPendingNotice(record) ? !isTelling : !fresh.has(record.key));
  const all = [...analysis.filter(stays), ...news];
  const notices = all.filter(isPendingNotice);
  const results = all.filter((record) => !isPendingNotice(record)).toSorted(byPlace);
  return [...results.slice(-(MAX_RECORDS - notices.length)), ...notices];
};

/**
 * The checks of a rollout for the engine: metrics, hooks and notices of its spec.
 *
 * Guarantees: pure; all state is in the records, so that a restart repeats no request whose 2xx is recorded.
 *
 * Assumptions: the engine stores the records in the same write as the decisions that are based on them, drops the records of a
 * revision when a rollout of it begins, and evaluates `Event` in every pass.
 */
export const checksOf =
  (checks: RolloutChecks, options: ChecksOptions = {}): Checks =>
  (asked) => {
    const analysis = asked.analysis.filter((record) => isPendingNotice(record) || isOfRollout(asked, record));
    const request = { ...asked, analysis };
    const { verdict, records, effects, events } = judges[request.hook]({ ...options, checks, request });
    return { ...verdict, effects, events, analysis: analysisAfter(request, records) };
  };
