import { hash } from 'node:crypto';
import { STATUS_IMPAIRED } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import { canonicalJson, equalJson, type JsonObject } from '#lib/json.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { slot, withTimes } from '#lib/loop/context/memory.ts';
import { subjectOf } from '#lib/loop/events/event.ts';
import {
  type Corrections,
  correctionAfter,
  holding,
  leftAlone,
  managersIn,
  othersIn,
} from '#lib/loop/pass/execute/corrections.ts';
import { liveResource } from '#lib/loop/pass/live-child.ts';
import { unrestMs } from '#lib/loop/pass/settling/round.ts';
import { shownList } from '#lib/loop/pass/shown-list.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { type FieldWay, fieldName } from '#lib/plan/fields/lost-fields.ts';
import { conditionsIn, ownStatus } from './status.ts';

/** The recent corrections of a status that another writer changes. */
interface StatusContest extends Corrections {
  /** The time at which the contest is over if the other writer changes nothing until then, in epoch milliseconds. */
  readonly calmAt?: number;
  /** Describes the other writer and its changes; empty while there is no contest. */
  readonly text: string;
  /**
   * Whether `managedFields` names the other writer. If not, the writer is usually an admission webhook, or another process with
   * the field manager of this operator. The loop does not report the condition `StatusImpaired` then, because each of two such
   * processes would remove the condition of the other.
   */
  readonly isNamed: boolean;
}

const contestSlot = slot<StatusContest | undefined>('contest', {
  empty: undefined,
  inspect: (contest) => withTimes(contest, 'at', 'notBefore', 'calmAt'),
});

/** The hash of the status that this process wrote last; undefined before the first write. */
const writtenSlot = slot<number | undefined>('statusWritten', { empty: undefined });

/** The number of bytes of the hash: a JavaScript number holds integers of at most 53 bits. */
const HASH_BYTES = 6;

const hashOf = (context: Context, seen: Snapshot, status: JsonObject): number =>
  hash('sha1', canonicalJson(context.pruned.storable(ownStatus(context, seen, status))), 'buffer').readUIntBE(
    0,
    HASH_BYTES,
  );

/** Remembers the written status, so that a later pass can detect a change by another writer. */
export const noteWritten = (context: Context, seen: Snapshot, status: JsonObject): void =>
  writtenSlot.set(context, seen, hashOf(context, seen, status));

/** True when the stored status differs from the last status that this process wrote. */
const isForeign = (context: Context, seen: Snapshot): boolean => {
  const written = writtenSlot.get(context, seen);
  return written !== undefined && hashOf(context, seen, seen.resource.status ?? {}) !== written;
};

/** The fields in which the stored status differs from the next one, in the notation of `managedFields`. */
const waysOf = (context: Context, seen: Snapshot, next: JsonObject): readonly FieldWay[] => {
  const stored = ownStatus(context, seen, seen.resource.status ?? {});
  const wanted = ownStatus(context, seen, next);
  const names = [...new Set([...Object.keys(stored), ...Object.keys(wanted)])].toSorted();
  const differing = names.filter((name) => name !== 'conditions' && !equalJson(stored[name], wanted[name]));
  const [before, after] = [conditionsIn(stored), conditionsIn(wanted)];
  const types = [...new Set([...before, ...after].map(({ type }) => type))].toSorted();
  const conditions = types.filter(
    (type) =>
      !equalJson(
        before.find((each) => each.type === type),
        after.find((each) => each.type === type),
      ),
  );
  return [
    ...differing.map((name) => ['f:status', `f:${name}`]),
    ...conditions.map((type) => ['f:status', 'f:conditions', `k:${JSON.stringify({ type })}`]),
  ];
};

/**
 * Returns the other managers of the status, from a live get of the resource; if some of them own the changed fields, only those.
 * Empty if the get fails.
 */
const rivalsOf = async (context: Context, seen: Snapshot, ways: readonly FieldWay[]): Promise<readonly string[]> => {
  try {
    const others = othersIn(await liveResource(context, seen), context.fieldManager).filter(
      ({ subresource }) => subresource === 'status',
    );
    const holders = holding(others, ways);
    return managersIn(holders.length > 0 ? holders : others);
  } catch {
    return [];
  }
};

const accusationOf = async (
  context: Context,
  seen: Snapshot,
  next: JsonObject,
): Promise<Pick<StatusContest, 'text' | 'isNamed'>> => {
  const ways = waysOf(context, seen, next);
  const rivals = await rivalsOf(context, seen, ways);
  const anybody = `an admission webhook, or another process that writes as "${context.fieldManager}",`;
  const what = shownList(ways.map(fieldName));
  const isNamed = rivals.length > 0;
  const verb = rivals.length > 1 ? 'keep' : 'keeps';
  return { text: `${isNamed ? rivals.join(' and ') : anybody} ${verb} changing ${what || 'the status'}`, isNamed };
};

/** When the status may be written: at once, or after a delay in milliseconds because another writer keeps changing it. */
export type ContestedWrite = { readonly waitMs: number } | 'at once';

/** The end of a contest if the other writer changes nothing after a time: the longest pause after it. In epoch milliseconds. */
const calmAfter = (time: number, rounds: number): number => time + unrestMs(rounds, () => 1);

/**
 * Decides whether a changed status may be written now. If no other writer changed the status since the last write of this
 * process, the change is written at once. A correction of a change by another writer is delayed after five consecutive
 * corrections. The delay grows up to 5 minutes.
 */
export const contestedWrite = async (context: Context, seen: Snapshot, next: JsonObject): Promise<ContestedWrite> => {
  if (!isForeign(context, seen)) return 'at once';
  const now = context.now();
  const before = contestSlot.get(context, seen);
  const { rounds = 0, text = '', isNamed = false } = before ?? {};
  const after = correctionAfter(before, { now });
  if (typeof after === 'number') return { waitMs: after };
  if (after === 'leave') {
    const left = leftAlone(before, { now, waitMs: (round) => unrestMs(round, context.random) });
    const accusation = await accusationOf(context, seen, next);
    // The other writer may undo its change itself, so that no correction follows.
    const calmAt = calmAfter(left.notBefore, left.rounds);
    contestSlot.set(context, seen, { ...left, ...accusation, calmAt });
    announce(context, seen, { text: accusation.text, isNew: text === '' });
    return { waitMs: left.notBefore - now };
  }
  const calm = text === '' ? {} : { calmAt: calmAfter(now, rounds) };
  contestSlot.set(context, seen, { ...after, text, isNamed, ...calm });
  return 'at once';
};

const announce = (
  { log, metrics, events, kind }: Context,
  { key, resource }: Snapshot,
  { text, isNew }: { readonly text: string; readonly isNew: boolean },
): void => {
  metrics.statusFailed('FieldConflict');
  if (!isNew) return;
  log.warn({ key, text }, 'another writer keeps changing the status, correcting it with growing delays');
  const message = `${text}; stop one of the two writers`;
  events({ regarding: subjectOf(kind, resource), type: 'Warning', reason: 'StatusConflict', message });
};

const isCalm = ({ calmAt }: StatusContest, now: number): boolean => calmAt !== undefined && now >= calmAt;

const withoutContest = (context: Context, seen: Snapshot, { calmAt: _calmAt, ...rest }: StatusContest): void =>
  contestSlot.set(context, seen, { ...rest, text: '' });

/**
 * Called when the stored status is the desired one: after a write of the status, or when no write is needed. Ends the contest if
 * its time is over. The last writer does not matter.
 *
 * @returns milliseconds until the contest may be over; 0 when its condition can be removed now; `Infinity` when no contest waits
 * for its end
 */
export const settleContest = (context: Context, seen: Snapshot): number => {
  const contest = contestSlot.get(context, seen);
  if (contest?.calmAt === undefined) return Infinity;
  if (!isCalm(contest, context.now())) return contest.calmAt - context.now();
  const hadCondition = contestCondition(context, seen) !== undefined;
  withoutContest(context, seen, contest);
  return hadCondition ? 0 : Infinity;
};

/** Ends a contest after its `calmAt`, if no other writer changed the status since the last write of this process. */
export const endContest = (context: Context, seen: Snapshot): void => {
  const contest = contestSlot.get(context, seen);
  if (contest && isCalm(contest, context.now()) && !isForeign(context, seen)) withoutContest(context, seen, contest);
};

/**
 * The condition of a resource while another field manager keeps changing its status; undefined otherwise, and if the other field
 * manager is unknown.
 */
export const contestCondition = (context: Context, seen: Snapshot): DesiredCondition | undefined => {
  const { text = '', isNamed = false } = contestSlot.get(context, seen) ?? {};
  if (text === '' || !isNamed) return undefined;
  const message = `${text}; stop one of the two writers`;
  return { type: STATUS_IMPAIRED, status: 'True', reason: 'FieldConflict', message };
};
