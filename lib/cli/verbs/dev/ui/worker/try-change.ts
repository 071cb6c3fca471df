import type { ObjectName } from '#lib/foresight/cluster/live-object.ts';
import { reportFieldsOf } from '#lib/foresight/page/field-values.ts';
import type { LiveHistoryRun } from '#lib/foresight/page/live/stream-message.ts';
import type { Trial, TriedChange, TriedWrite } from '#lib/foresight/page/live/trial.ts';
import { packRun } from '#lib/foresight/page/packed-run.ts';
import { reportObjectText } from '#lib/foresight/page/report-run.ts';
import type { ChangePlan } from '#lib/foresight/plan/plan-change.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import { durationMs, durationText } from '#lib/foresight/simulate/script/time-text.ts';
import { loadKinds } from '../../../../project/config.ts';
import { makePlan } from '../../../plan/run.ts';
import { shownResources } from '../../project.ts';
import { ForeseenRecord } from './foreseen-record.ts';
import { refusedProblem } from './input-problem.ts';
import { orderContext } from './order-context.ts';
import type { TryOrder, WorkerPlace } from './orders.ts';

/** Maximum number of writes in the table of a trial. The course of the trial has all writes. */
const MAX_WRITES = 200;
/** The course ends after its last event by this share of the time before the event, and by at least {@link TAIL_MS}. */
const TAIL_SHARE = 0.1;
const TAIL_MS = 5000;

const objectText = ({ kind, namespace, name }: ObjectName): string =>
  reportObjectText({ kind, name, ...(namespace !== '' && { namespace }) });

const noteOf = (write: PlannedWrite): string => {
  const { refused, alsoWithout, unverified } = write;
  return [
    ...(refused === undefined ? [] : [`refused: ${refused.message}`]),
    ...(alsoWithout === true ? ['happens without the change, too'] : []),
    ...(unverified === true ? ['the real object may need no write'] : []),
  ].join('; ');
};

const triedWrite = (write: PlannedWrite): TriedWrite => ({
  action: write.action,
  object: objectText(write),
  reason: write.reason,
  note: noteOf(write),
});

const triedChanges = ({ changes }: ChangePlan, yaml: string): readonly TriedChange[] =>
  changes.map((change) => ({
    object: objectText(change),
    outcome: change.outcome,
    fields: reportFieldsOf(change.fields),
    ...(change.refused !== undefined && { refused: refusedProblem(yaml, change.refused.message) }),
  }));

const notesOf = ({ writes, garbage, asks, notes }: ChangePlan): readonly string[] => [
  ...(writes.length > MAX_WRITES ? [`The table shows the first ${MAX_WRITES} of ${writes.length} writes.`] : []),
  ...garbage.map((object) => `${objectText(object)} would be deleted with its owner.`),
  ...asks.map(({ method, url }) => `The operator would ask ${method} ${url}.`),
  ...notes,
];

/** The course until some time after its last event; the rest of the horizon has no events. */
const courseOf = (run: LiveHistoryRun, horizonMs: number): LiveHistoryRun => {
  const lastMs = run.events.at(-1)?.atMs ?? 0;
  const shownMs = Math.min(horizonMs, Math.max(lastMs + TAIL_MS, lastMs * (1 + TAIL_SHARE)));
  const rest = shownMs < horizonMs ? `nothing more happens within ${durationText(horizonMs)}` : '';
  return {
    ...run,
    title: 'A tried change',
    durationMs: shownMs,
    facts: [`${durationText(horizonMs)} simulated`, ...run.facts, ...(rest === '' ? [] : [rest])],
  };
};

/**
 * Tries a change: plans it, and simulates the time after it, on a copy of the objects of the cluster. The cluster is only read.
 *
 * @throws {ConfigurationError} for input that is not a manifest, and for a project or a kubeconfig that cannot be used
 * @throws {ForesightError} when the future cannot be computed
 */
export const tryChange = async (order: WorkerPlace & TryOrder): Promise<Trial> => {
  const { config, kubeconfig, context: contextName, namespace, horizon, yaml } = order;
  const startedAt = Date.now();
  const context = orderContext(order, { input: yaml, nowMs: startedAt });
  const { kinds } = await loadKinds(context, { config });
  const observer = new ForeseenRecord(shownResources(kinds), startedAt);
  const where = { config, kubeconfig, context: contextName, namespace };
  const plan = await makePlan(context, { ...where, filename: ['-'], horizon, observer });
  const horizonMs = durationMs(horizon) ?? 0;
  return {
    changes: triedChanges(plan, yaml),
    writes: plan.writes.slice(0, MAX_WRITES).map(triedWrite),
    notes: notesOf(plan),
    run: packRun(courseOf(observer.run(startedAt + horizonMs), horizonMs)),
  };
};
