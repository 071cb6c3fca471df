import type { AnalysisRecord, CheckRequest, Checks, CheckPoint as Point } from '../engine/checks.ts';
import { inTurn, type Judgement, nothing, type RolloutChecks, together } from './facts.ts';
import { judgeHook } from './hook.ts';
import { judgeMetric } from './metric.ts';
import { isPendingNotice, sendMilestones } from './notices.ts';
import type { Hook, HookType } from './schema.ts';

/** The options of {@link checksOf}. */
export interface ChecksOptions {
  /** The Prometheus server for metrics without `address`. @default none */
  readonly prometheusUrl?: string | undefined;
}

/**
 * Maximum number of records in the status. Beyond the maximum, results of the earliest steps are dropped first. Waiting messages
 * count, but are not dropped here, because they have their own limit (`MAX_PENDING`).
 */
const MAX_RECORDS = 64;

interface Context extends ChecksOptions {
  readonly checks: RolloutChecks;
  readonly request: CheckRequest;
}

const hooksHere = ({ checks, request }: Context): readonly Hook[] => checks.steps[request.stepIndex]?.webhooks ?? [];

const hooksOf = (context: Context, type: HookType): readonly Hook[] =>
  [...(context.checks.webhooks ?? []), ...hooksHere(context)].filter((hook) => hook.type === type);

const judgeHooks = (hooks: readonly Hook[], { request }: Context): Judgement =>
  together(hooks.map((hook) => judgeHook(hook, request)));

/**
 * The checks before a step starts. The hooks of the whole rollout are called only before step 0. At later steps, only the hooks
 * of the step are called: first those of type `ConfirmRollout`, then those of type `Pre`.
 */
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
  // The rollout does not wait for `Post` hooks, so they are called together with the milestones.
  Post: () => nothing,
  Rollback: (context) => judgeHooks(hooksOf(context, 'Rollback'), context),
  Event: ({ checks, request }) => sendMilestones(checks, request),
};

const byPlace = (left: AnalysisRecord, right: AnalysisRecord): number =>
  left.step - right.step || (left.key < right.key ? -1 : 1);

/** Results of an earlier rollout of the same revision were removed when this rollout began. */
const isOfRollout = ({ canary }: CheckRequest, { revision }: AnalysisRecord): boolean => revision === canary.hash;

/**
 * The records after the checks: new results replace old results with the same key. Waiting messages are records, too. The checks
 * of `Event` return all waiting messages, so only their result replaces the old messages.
 */
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
 * Makes the checks of a rollout from the metrics, hooks and receivers of notifications in its spec.
 *
 * Guarantees: pure. All state is in the records. A restart of the operator therefore repeats no call with a recorded result.
 *
 * Assumptions: the engine stores the records in the same write as the decisions that are based on them. When a rollout of a
 * revision begins, the engine drops the results of the revision. The checks of `Event` run in every pass, unless an obstacle
 * blocks the rollout.
 */
export const checksOf =
  (checks: RolloutChecks, options: ChecksOptions = {}): Checks =>
  (given) => {
    const analysis = given.analysis.filter((record) => isPendingNotice(record) || isOfRollout(given, record));
    const request = { ...given, analysis };
    const { verdict, records, effects, events } = judges[request.hook]({ ...options, checks, request });
    return { ...verdict, effects, events, analysis: analysisAfter(request, records) };
  };
