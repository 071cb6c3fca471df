import type { Context } from '#lib/loop/context/context.ts';
import { slot, withTimes } from '#lib/loop/context/memory.ts';
import { subjectOf } from '#lib/loop/events/event.ts';
import { type Corrections, correctionAfter, leftAlone } from '#lib/loop/pass/execute/corrections.ts';
import { unrestMs } from '#lib/loop/pass/settling/round.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';

/** The recent corrections of a report, after changes by another writer. */
const contestSlot = slot<Corrections | undefined>('reportContest', {
  empty: undefined,
  inspect: (contest) => withTimes(contest, 'at', 'notBefore'),
});

/** The last report that this process wrote into a parent. */
const writtenSlot = slot<string | undefined>('reportWritten', { empty: undefined });

/** Remembers the written report, so that a later pass can detect a change by another writer. */
export const noteReport = (context: Context, seen: Snapshot, report: string): void =>
  writtenSlot.set(context, seen, report);

/**
 * The time until the report of an extension may be written, in milliseconds; 0 for at once. A report that differs from the last
 * written one is written at once. The correction of a change by another writer is delayed after five consecutive corrections. The
 * delay grows up to 5 minutes.
 *
 * @param report - the report as text
 * @param where - the place of the report in the parent, for the event
 */
export const untilReportIsFree = (
  context: Context,
  seen: Snapshot,
  { report, where }: { readonly report: string; readonly where: string },
): number => {
  if (writtenSlot.get(context, seen) !== report) return 0;
  const now = context.now();
  const before = contestSlot.get(context, seen);
  const after = correctionAfter(before, { now });
  if (typeof after === 'number') return after;
  if (after !== 'leave') {
    contestSlot.set(context, seen, after);
    return 0;
  }
  const left = leftAlone(before, { now, waitMs: (rounds) => unrestMs(rounds, context.random) });
  contestSlot.set(context, seen, left);
  context.metrics.statusFailed('FieldConflict');
  if (left.rounds === 1) announceContest(context, seen, where);
  return left.notBefore - now;
};

const announceContest = ({ events, kind, log }: Context, { key, resource }: Snapshot, where: string): void => {
  log.warn({ key, where }, 'another writer keeps changing the report, correcting it with growing delays');
  const message = `another writer keeps changing the ${where}; stop one of the two writers`;
  events({ regarding: subjectOf(kind, resource), type: 'Warning', reason: 'StatusConflict', message });
};
