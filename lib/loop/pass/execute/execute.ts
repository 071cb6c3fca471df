import type { Refusal } from '#lib/desired/observation.ts';
import { ApiError } from '#lib/errors.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { type ChildWrite, childEvents } from '#lib/loop/events/child-events.ts';
import { subjectOf } from '#lib/loop/events/event.ts';
import type { Doubt } from '#lib/loop/pass/doubts.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { childCountIn } from '#lib/loop/related/children.ts';
import type { SkipReason, Step } from '#lib/plan/step.ts';
import { type Attempts, attemptAll, type FailedWrite, idOf, isCurrent, refusalVerbOf, writeOf } from './attempts.ts';
import { type HoldMoment, type Holds, holdsAfter, holdsSlot, isOnHold, isProbe } from './holds.ts';
import { isDoubtful } from './refusal.ts';
import type { WriteStep } from './write-child.ts';

/** The outcome of a plan. */
export interface Execution {
  /** The writes that succeeded or were not needed any more. Creates and applies count even if admission changed the result. */
  readonly done: readonly WriteStep[];
  /** The refusals that still apply, from this or an earlier pass; sorted by name. */
  readonly refused: readonly Refusal[];
  /** True when a write of this pass was refused, had no response, or had a result that admission changed. */
  readonly failed: boolean;
  readonly holds: Holds;
  /** The time at which the holds were checked, in epoch milliseconds. */
  readonly began: number;
  /** The children with a last write that may or may not have succeeded. */
  readonly doubts: readonly Doubt[];
  /** True when the pass left steps for the next pass because of the maximum number of writes, and no write failed. */
  readonly cut: boolean;
  /** True when a step had the outcome `outdated`. */
  readonly outdated: boolean;
  /**
   * The result of `isCurrent` after the writes. If false, the pass must not start effects or write the status.
   */
  readonly current: boolean;
}

/** The maximum number of writes of a pass. A longer pass could use an outdated spec, and would delay the status. */
const WRITES_PER_PASS = 500;

/** A field conflict of a child stays reported while the step of the child is skipped for one of these reasons. */
const leftAlone: ReadonlySet<SkipReason | undefined> = new Set([
  'Kept',
  'PartialResult',
  'PruneNeedsConsent',
  'HoldsData',
]);

/** The reason of each skipped step, by the id that an apply of the same child has. */
const skippedApplies = (steps: readonly Step[]): ReadonlyMap<string, SkipReason> =>
  new Map(
    steps.flatMap(({ step, kind, name, reason }) =>
      step === 'skip' ? [[idOf({ verb: 'apply', kind: kind.kind, name }), reason]] : [],
    ),
  );

/**
 * Whether the refusal of an apply still applies although the step of the child is now skipped. This is so if the intent would
 * change an immutable field. It is also so after a field conflict, if the step is skipped for a reason in `leftAlone`.
 */
const isStanding = ({ reason }: Refusal, skipped: SkipReason | undefined): boolean =>
  skipped === 'ImmutableField' || (reason === 'FieldConflict' && leftAlone.has(skipped));

/** The earlier refusals that still apply, because this pass did not attempt the write, or the write would be refused again. */
const waitingAmong = (
  refused: readonly Refusal[],
  { untried, steps }: { readonly untried: readonly WriteStep[]; readonly steps: readonly Step[] },
): readonly Refusal[] => {
  if (refused.length === 0) return refused;
  const wanted = new Set(untried.map((step) => idOf(writeOf(step))));
  const skipped = skippedApplies(steps);
  return refused.filter((refusal) => wanted.has(idOf(refusal)) || isStanding(refusal, skipped.get(idOf(refusal))));
};

const populationOf =
  (context: Context, { resource }: Snapshot) =>
  (kind: string): number => {
    const { definition } = context;
    const owned = definition.owns.filter((candidate) => candidate.kind === kind);
    const counts = owned.map((each) =>
      childCountIn({ definition, kind: each, cache: cacheOf(context, each) }, resource.metadata),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };

const childWriteOf = (step: WriteStep): ChildWrite => ({ ...step, verb: refusalVerbOf(step) });

/** Sends the events about the results of the writes. */
const tellOf = (
  { events, kind }: Context,
  { resource }: Snapshot,
  { done, failures }: Pick<Attempts, 'done' | 'failures'>,
): void => {
  const failed = failures.map(({ step, ...why }) => ({
    // After a successful write, a conflict has the verb of the next write, to which it applies.
    write: { ...childWriteOf(step), verb: why.refusal.verb },
    ...why,
  }));
  childEvents({ done: done.map(childWriteOf), failed }, subjectOf(kind, resource)).forEach(events);
};

/**
 * The maximum random delay before the retry of a create that validation refused, in milliseconds; the minimum is half of it. The
 * loop retries such a create only because the schema may change.
 */
const INVALID_MS = 300_000;

/**
 * The minimum delay before a retry, in milliseconds; 0 if only the hold applies. The delay has a random part, so that the refused
 * writes of many resources are not retried at the same time. After a `Retry-After`, the delay is one to two times that time.
 */
const waitOf = ({ refusal, error }: FailedWrite, random: () => number): number => {
  if (!(error instanceof ApiError)) return 0;
  if (refusal.verb === 'create' && refusal.reason === 'Invalid' && error.httpStatus === 422)
    return (INVALID_MS / 2) * (1 + random());
  return (error.retryAfterMs ?? 0) * (1 + random());
};

/**
 * Decides which writes may begin in this pass: those without a hold. If only the time ended a hold for a lasting reason
 * (`isLasting`), the write also waits for the turn of the resource (`ProbeTurns`).
 */
const gateOf = (
  { probes }: Context,
  { key }: Snapshot,
  { holds, moment }: { readonly holds: Holds; readonly moment: HoldMoment },
) => {
  const probing = new Set<WriteStep>();
  let hasTurn: boolean | undefined;
  const mayBegin = (step: WriteStep): boolean => {
    if (isOnHold(holds, { ...writeOf(step), isChanged: step.reason === 'Changed' }, moment)) return false;
    if (!isProbe(holds, writeOf(step), moment)) return true;
    probing.add(step);
    return (hasTurn ??= probes.mayProbe(key));
  };
  const ended = ({ done, failures }: Pick<Attempts, 'done' | 'failures'>): void => {
    const isRefused = failures.some(({ step }) => probing.has(step));
    if (hasTurn === undefined) probes.forget(key);
    else if (!isRefused && done.some((step) => probing.has(step))) probes.accepted();
  };
  return Object.assign(mayBegin, { ended });
};

const byName = (a: Refusal, b: Refusal): number => (a.name < b.name ? -1 : 1);

/** Options for the execution of a plan. */
export interface ExecuteOptions {
  /** True to execute no step, and leave all steps for a later pass. */
  readonly withholds: boolean;
}

/**
 * Sends the writes of a plan, except writes that must wait, for example because of a hold. Each response goes into the cache at
 * once. The next pass therefore sees the write even if the watch event is late.
 *
 * Stops early at the maximum number of writes, or when `isCurrent` is false.
 */
export const execute = async (
  context: Context,
  seen: Snapshot,
  steps: readonly Step[],
  { withholds }: ExecuteOptions,
): Promise<Execution> => {
  const { generation } = seen.resource.metadata;
  const holds = holdsSlot.get(context, seen);
  const moment = { now: context.now(), generation, populationOf: populationOf(context, seen) };
  const writes = steps.filter((step) => step.step !== 'skip');
  context.metrics.skipped(steps.length - writes.length);
  const mayBegin = gateOf(context, seen, { holds, moment });
  const { held = [], due = [] } = Object.groupBy(writes, (step) => (withholds || !mayBegin(step) ? 'held' : 'due'));
  const attempts = await attemptAll(context, seen, { steps: due.slice(0, WRITES_PER_PASS), holds });
  const { done, failures, outdated, unstarted } = attempts;
  mayBegin.ended(attempts);
  tellOf(context, seen, { done, failures });
  const refused = failures.map(({ refusal }) => refusal);
  const untried = [...held, ...unstarted, ...due.slice(WRITES_PER_PASS)];
  const waiting = waitingAmong(seen.refused, { untried, steps });
  const waits = failures.map((failure) => [failure.refusal, waitOf(failure, context.random)] as const);
  const outcome = { began: moment.now, now: context.now(), random: context.random };
  return {
    done,
    refused: [...refused, ...waiting].toSorted(byName),
    failed: failures.length > 0,
    outdated: outdated > 0,
    began: moment.now,
    holds: holdsAfter(holds, { ...moment, ...outcome, refused, waiting, waitsMs: new Map(waits) }),
    doubts: failures.filter(({ error }) => isDoubtful(error)).map(({ step: { kind, name } }) => ({ kind, name })),
    cut: due.length > WRITES_PER_PASS && failures.length === 0,
    current: isCurrent(context, seen),
  };
};
