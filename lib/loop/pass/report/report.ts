import type { Condition } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { isoOf, type Remembering, slot } from '#lib/loop/context/memory.ts';
import { subjectOf } from '#lib/loop/events/event.ts';
import { statusEvents } from '#lib/loop/events/status-events.ts';
import { unchangedIn } from '#lib/loop/pass/compute/compute.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import type { Execution } from '#lib/loop/pass/execute/execute.ts';
import { unfinishableState } from '#lib/loop/pass/finalize.ts';
import { followsFromStatus, forgetStatus, noteStatus, restlessnessOf } from '#lib/loop/pass/settling/status.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { attemptReport, type Report } from './attempt.ts';
import { reportExtension } from './extension-report.ts';
import { fightState, overrideCondition, withoutOverrides } from './fight-report.ts';
import { refusedStatusCondition } from './refused-status.ts';
import { nextStatus, readyFlips, statusDiffers, statusPatch } from './status.ts';
import { contestCondition, contestedWrite, endContest, noteWritten, settleContest } from './status-contest.ts';
import { paceAfter, paceSlot, type StatusMoment, untilStatusIsDue } from './status-pace.ts';

/** A decision, and the result of its execution. */
export interface Pass {
  readonly wanted: Decision;
  readonly execution: Execution;
}

const looksAgain = (afterMs: number): { readonly afterMs?: number } =>
  afterMs === Infinity ? {} : { afterMs: Math.max(0, afterMs) };

/**
 * The maximum time for which consecutive passes leave the status to the next pass, in milliseconds. Without a limit, a series of
 * passes that write children would never write the status.
 */
const UNREPORTED_MS = 250;

/**
 * The time of the first of the consecutive passes that wrote children and left the status to the next pass, in epoch
 * milliseconds; undefined without such passes.
 */
const unreportedSlot = slot<number | undefined>('unreportedSince', {
  empty: undefined,
  inspect: isoOf,
});

/** The time since which the stored status is out of date, in epoch milliseconds; undefined while the stored status is current. */
const staleSlot = slot<number | undefined>('staleSince', { empty: undefined });

const mayLeaveIt = (context: Context, seen: Snapshot): boolean => {
  const unreportedSince = unreportedSlot.get(context, seen) ?? context.now();
  unreportedSlot.set(context, seen, unreportedSince);
  return context.now() - unreportedSince < UNREPORTED_MS;
};

interface ReportedPass extends Pick<Execution, 'refused'>, Pick<Pass, 'wanted'> {
  /** Why the status of the function cannot be stored. @default another writer, or an outdated CRD, if there is one */
  readonly impairment?: DesiredCondition;
}

/**
 * The status to write: the status that the function returned, with the conditions of the loop. `notBefore`: the earliest time of
 * a write if the status follows only from the last written status. The time is in the past if the function settles.
 */
const statusOf = (
  context: Context,
  seen: Snapshot,
  { wanted: { desired }, refused, impairment }: ReportedPass,
): { readonly next: JsonObject; readonly notBefore: number } => {
  const fight = fightState(context, seen, { refused, state: desired.state });
  const state = unfinishableState(context, seen, refused) ?? fight ?? desired.state;
  const base = { refused: withoutOverrides(context, seen, refused), fieldManager: context.fieldManager };
  const impaired =
    impairment ?? contestCondition(context, seen) ?? context.pruned.condition(desired.status as JsonObject);
  const added = [impaired, overrideCondition(context, seen, refused)].filter((condition) => condition !== undefined);
  const said = added.length > 0 ? { ...desired, conditions: [...(desired.conditions ?? []), ...added] } : desired;
  const next = nextStatus(seen, { ...said, state }, base);
  const restless = restlessnessOf(context, seen, next);
  if (!restless) return { next, notBefore: -Infinity };
  return { next: nextStatus(seen, { ...said, state: restless.state }, base), notBefore: restless.notBefore };
};

/** Records since when the status is out of date: since the first of the consecutive results `later` and `failed`. */
const noteAge = (context: Context, seen: Snapshot, { status }: Report): void => {
  const staleSince = staleSlot.get(context, seen);
  const isStale = status === 'later' || status === 'failed';
  if (status === 'written') context.metrics.statusWritten(context.now() - (staleSince ?? context.now()));
  if (isStale && staleSince === undefined) staleSlot.set(context, seen, context.now());
  if (!isStale && staleSince !== undefined) staleSlot.set(context, seen, undefined);
};

/** The age of the oldest status that is out of date, in milliseconds; 0 when all statuses are current. */
export const longestStaleMs = (context: Remembering & Pick<Context, 'now'>): number => {
  const now = context.now();
  const since = [...context.memory].map(([key, { uid }]) => staleSlot.get(context, { key, uid }) ?? now);
  return now - since.reduce((first, next) => Math.min(first, next), now);
};

/**
 * Writes the status of a pass, and records for how long the status was out of date. For an extension, see `reportExtension`. The
 * main cases without a write:
 * - nothing changed, or only fields that the API server drops; a test write of such fields is the exception;
 * - the pass is no longer current, or a child changed during the pass and no write was refused;
 * - the pass wrote children without a refusal, and less than 250 ms have passed since the first such pass: the next pass observes
 *   the children first;
 * - the last write was less than 250 ms ago, and Ready does not change; or Ready would change a third time within 500 ms;
 * - a delay has not ended, because the function does not settle, or another writer keeps changing the status.
 *
 * If the API server refuses the status of the function, only the conditions are written, and a later pass tries again.
 */
export const reportStatus = async (context: Context, seen: Snapshot, pass: Pass): Promise<Report> => {
  const report = await reported(context, seen, pass);
  noteAge(context, seen, report);
  return report;
};

/**
 * Whether this pass only adopted restored children, and admission or another writer removes our owner reference from some of
 * them. The next snapshot shows these children, so the next pass calls the function.
 */
const isDisowned = ({ wanted, execution: { failed, refused } }: Pass): boolean =>
  wanted.isRestoring === true && failed && refused.some(({ reason }) => reason === 'FieldConflict');

const reported = async (context: Context, seen: Snapshot, { wanted, execution }: Pass): Promise<Report> => {
  const { done, refused, cut, current, outdated } = execution;
  if (!current || (outdated && refused.length === 0)) return { status: 'later', afterMs: 0 };
  if (isDisowned({ wanted, execution })) return { status: 'later', afterMs: 0 };
  if (done.length > 0 && refused.length === 0 && !cut && mayLeaveIt(context, seen))
    return { status: 'later', afterMs: 0 };
  unreportedSlot.set(context, seen, undefined);
  if (context.definition.extension) return reportExtension(context, seen, { desired: wanted.desired, refused });
  endContest(context, seen);
  const { next, notBefore } = statusOf(context, seen, { wanted, refused });
  if (!statusDiffers(seen, next)) {
    forgetStatus(context, seen);
    return { status: 'unchanged', ...looksAgain(settleContest(context, seen)) };
  }
  const storable = context.pruned.storable(next);
  if (storable !== next && !statusDiffers(seen, storable)) {
    forgetStatus(context, seen);
    const untilProbeMs = context.pruned.untilProbe();
    if (untilProbeMs > 0) return { status: 'unchanged', afterMs: untilProbeMs };
  }
  const follows = followsFromStatus(context, seen);
  const restMs = follows ? notBefore - context.now() : 0;
  const waitMs = Math.max(untilStatusIsDue(paceSlot.get(context, seen), momentOf(context, seen, next)), restMs);
  if (waitMs > 0) return { status: 'later', afterMs: waitMs };
  const contested = await contestedWrite(context, seen, next);
  if (contested !== 'at once') return { status: 'later', afterMs: contested.waitMs };
  const report = await writeStatus(context, seen, { wanted, refused, next });
  if (report.status === 'written') {
    tellOfStatus(context, seen, { wanted, refused, next });
    if (wanted.given?.readsStatus) noteStatus(context, seen, { given: wanted.given, next, follows });
  }
  return report;
};

interface WrittenStatus extends ReportedPass {
  readonly next: JsonObject;
}

/** Sends the events for the changes of the conditions. */
const tellOfStatus = (
  { events, kind }: Context,
  { resource }: Snapshot,
  { wanted, refused, next }: WrittenStatus,
): void => {
  const change = {
    before: resource.status?.conditions ?? [],
    after: next['conditions'] as readonly Condition[],
    events: wanted.desired.events ?? [],
    refused: refused.length > 0,
  };
  statusEvents(change, subjectOf(kind, resource)).forEach(events);
};

const momentOf = ({ now }: Context, seen: Snapshot, next: JsonObject): StatusMoment => ({
  flips: readyFlips(seen, next),
  now: now(),
});

const writeStatus = async (context: Context, seen: Snapshot, status: WrittenStatus): Promise<Report> =>
  attemptReport(context, seen, async () => {
    try {
      return await sendStatus(context, seen, status.next);
    } catch (error) {
      const impairment = refusedStatusCondition(error);
      if (impairment) await sendConditions(context, seen, { ...status, impairment });
      throw error;
    }
  });

const sendStatus = async (
  context: Context,
  seen: Snapshot,
  next: JsonObject,
): Promise<{ readonly afterMs?: number }> => {
  const { api, kind, fieldManager, resources } = context;
  const { name, namespace } = seen.resource.metadata;
  const asked = resources.ask(namespace, name);
  const answer = await api.patchStatus(kind, { name, namespace }, statusPatch(seen, next), { fieldManager });
  resources.overlay(answer, { isOwnStatus: true, asked });
  const learned = context.pruned.learn(next, answer['status']);
  paceSlot.set(context, seen, paceAfter(paceSlot.get(context, seen), momentOf(context, seen, next)));
  noteWritten(context, seen, next);
  return looksAgain(learned ? 0 : settleContest(context, seen));
};

/** Writes the conditions alone, when the API server refuses the status of the function. The other fields stay as they are. */
const sendConditions = async (context: Context, seen: Snapshot, pass: ReportedPass): Promise<void> => {
  const { desired } = pass.wanted;
  const stored = unchangedIn(seen, desired.state).desired.status;
  const wanted = { ...pass.wanted, desired: { ...desired, status: stored } };
  const { next } = statusOf(context, seen, { ...pass, wanted });
  if (!statusDiffers(seen, next)) return;
  await sendStatus(context, seen, next);
  tellOfStatus(context, seen, { ...pass, next });
};
