import { ApiError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json.ts';
import { refOf } from '#lib/kind/names.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { noControllerMetrics } from '#lib/loop/context/metrics.ts';
import type { LoopEvent } from '#lib/loop/events/event.ts';
import { contestedWrite, noteWritten } from '#lib/loop/pass/report/status-contest.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const NOON_MS = Date.parse('2026-11-21T12:00:00.000Z');

/** The lengths of the first and the second pause, in milliseconds; the random number is always 0.5. */
export const FIRST_MS = 750;
export const SECOND_MS = 1500;

/** The time from the correction after the first pause to the end of a contest without further changes, in milliseconds. */
export const CALM_MS = 1000;

/** The kind of the resource whose status is contested. */
export const kind = refOf(shelf);

const seenOf = (status: JsonObject): Snapshot => {
  const metadata = { name: 'shelf', namespace: 'default', uid: 'u' };
  return { key: keyOf('default', 'shelf'), uid: 'u', resource: { metadata, status } } as unknown as Snapshot;
};

/** An entry of `managedFields` of a manager that owns fields of the status. */
export const owning = (manager: string, fields: object = { 'f:note': {} }, subresource = 'status') => ({
  manager,
  subresource,
  fieldsV1: { 'f:status': fields },
});

/** An entry of `managedFields` of a manager that owns conditions. */
export const owningConditions = (manager: string, ...types: readonly string[]) =>
  owning(manager, { 'f:conditions': Object.fromEntries(types.map((type) => [`k:{"type":"${type}"}`, {}])) });

/** The error of a live get that the API server refuses. */
export const REFUSED = new ApiError('get shelves', { httpStatus: 500, reason: 'InternalError', message: '' });

type Manager = ReturnType<typeof owning>;

/** Options of {@link contest}. */
export interface Contest {
  /** The `managedFields` of a live get, or the error that refuses it. @default the manager `rival` owns the field `note` */
  readonly managers?: readonly Manager[] | ApiError;
  /** The status that the other writer stores. */
  readonly stored?: JsonObject;
  /** The status that this process writes. */
  readonly next?: JsonObject;
}

const contextOf = (managers: readonly Manager[] | ApiError) => {
  let now = NOON_MS;
  const events: LoopEvent[] = [];
  const failed: string[] = [];
  const get = async () => {
    if (managers instanceof ApiError) throw managers;
    return { metadata: { name: 'shelf', managedFields: managers } };
  };
  const context = {
    kind,
    fieldManager: 'shelves',
    api: { get },
    resources: { ask: () => ({}), overlay: () => undefined },
    pruned: { storable: (status: JsonObject) => status },
    now: () => now,
    random: () => 0.5,
    log: createLogger('silent'),
    metrics: { ...noControllerMetrics, statusFailed: (reason: string) => void failed.push(reason) },
    events: (event: LoopEvent) => void events.push(event),
    memory: new Map(),
  } as unknown as Context;
  const later = (ms: number): void => {
    now += ms;
  };
  return { context, later, events, failed };
};

/** A status that another writer changes at once after each correction. */
export const contest = ({
  managers = [owning('rival')],
  stored = { note: 'theirs' },
  next = { note: 'ours' },
}: Contest = {}) => {
  const bench = contextOf(managers);
  const { context, later } = bench;
  const theirs = seenOf(stored);
  const correct = async () => contestedWrite(context, theirs, next);
  const pause = async () => {
    for (let correction = 0; correction < 5; correction += 1) await correct();
    return correct();
  };
  const correctAfterPause = async () => {
    await pause();
    later(FIRST_MS);
    return correct();
  };
  return { ...bench, theirs, ours: seenOf(next), next, correct, pause, correctAfterPause };
};

/** A {@link contest} after the first write of this process. */
export const written = (options: Contest = {}) => {
  const bench = contest(options);
  noteWritten(bench.context, bench.theirs, bench.next);
  return bench;
};
