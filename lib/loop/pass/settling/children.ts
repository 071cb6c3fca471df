import type { State } from '#lib/desired/result/state.ts';
import { stalled } from '#lib/desired/result/state.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { slot, withTimes } from '#lib/loop/context/memory.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import type { Execution } from '#lib/loop/pass/execute/execute.ts';
import type { WriteStep } from '#lib/loop/pass/execute/write-child.ts';
import { isFinalizing } from '#lib/loop/pass/finalizer.ts';
import { shownList } from '#lib/loop/pass/shown-list.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { changedFields } from '#lib/plan/fields/changed-fields.ts';
import { sentBy } from '#lib/plan/stamp.ts';
import type { Step } from '#lib/plan/step.ts';
import { idOfStep, onlyOwnWritesSince, type Round, roundOf, unrestMs } from './round.ts';

/** Consecutive passes that write the same child again and may be steps of a function. */
const BURST = 5;
/** Passes that write other children than the one before count less: a large set may grow one by one. */
const SHARE_OF_OTHERS = 1 / 20;

/** A function that returns something else after each write of the loop. */
export interface Unrest {
  /** The number of consecutive passes whose writes only followed from the writes of the pass before. */
  readonly level: number;
  /** How often in a row the writes were withheld. */
  readonly rounds: number;
  /** The end of the delay of writes that only follow from own writes, in epoch milliseconds; absent without a delay. */
  readonly notBefore?: number;
  /** A text about the changing fields, the same as long as the fields are. */
  readonly text: string;
}

const CALM: Unrest = { level: 0, rounds: 0, text: '' };

const unrestSlot = slot<Unrest | undefined>('unrest', {
  empty: undefined,
  inspect: (unrest) => withTimes(unrest, 'notBefore'),
});

/** The last pass that wrote children, until one finds nothing to write. */
const roundSlot = slot<Round | undefined>('wrote', {
  empty: undefined,
  inspect: ({ written }) => [...written.keys()],
});

/** The hash of the intent changes with every other change. */
const OWN_FIELD = 'metadata.annotations["cdk8s-reconcile/intent"]';

const someOf = (names: readonly string[]): string => shownList([...new Set(names)].toSorted());

/**
 * The changed fields of a child that is written again with another intent; the kind of a child that is created and deleted,
 * because its name may change.
 */
const changeOf = ({ definition }: Context, { round, seen }: Writes, step: WriteStep): string | undefined => {
  const earlier = round.written.get(idOfStep(step))?.step;
  if (earlier === undefined) return `${step.kind.kind}: another one each time`;
  const before = sentBy({ definition, resource: round.resource }, earlier);
  const after = sentBy({ definition, resource: seen.resource }, step);
  if (before === undefined || after === undefined) return `${step.kind.kind}: created and deleted in turn`;
  const fields = changedFields(before, after).filter((field) => field !== OWN_FIELD);
  return fields.length === 0 ? undefined : `${step.kind.kind} "${step.name}": ${someOf(fields)}`;
};

/** The writes that a pass is about to make, and the pass before it. */
interface Writes {
  readonly round: Round;
  readonly seen: Snapshot;
  readonly writes: readonly WriteStep[];
}

const textOf = (context: Context, { round, seen, writes }: Writes): string => {
  const again = writes.filter((step) => round.written.has(idOfStep(step)));
  const changes = (again.length > 0 ? again : writes).flatMap(
    (step) => changeOf(context, { round, seen, writes }, step) ?? [],
  );
  const what = changes.length === 0 ? 'the same once more' : someOf(changes);
  const name = isFinalizing(seen) ? 'finalize()' : 'desired()';
  return `${name} returns something else after each of its own changes (${what}); compute children from the observation alone, without counters, random values or the current time`;
};

/** Whether the plan of a pass is withheld. */
export interface Pause {
  /** All writes are left for later: they follow from the last ones and from nothing else. */
  readonly withholds: boolean;
  /** Milliseconds until they are carried out; Infinity when none are withheld. */
  readonly afterMs: number;
  /** In place of the function's. */
  readonly state?: State;
}

const noPause: Pause = { withholds: false, afterMs: Infinity };

const stateOf = ({ rounds, text }: Unrest): Pick<Pause, 'state'> =>
  rounds === 0 ? {} : { state: stalled('NeverSettles', text) };

const isWrite = (step: Step): step is WriteStep => step.step !== 'skip';

/** One more pass that is due to its predecessor alone; beyond the burst, the next such pass has to wait. */
const restlessAgain = (
  context: Context,
  seen: Snapshot,
  { round, writes, unrest }: { readonly round: Round; readonly writes: readonly WriteStep[]; readonly unrest: Unrest },
): Unrest => {
  const repeats = writes.some((step) => round.written.has(idOfStep(step)));
  const level = unrest.level + (repeats ? 1 : SHARE_OF_OTHERS);
  if (level < BURST) return { ...unrest, level };
  const rounds = unrest.rounds + 1;
  const text = textOf(context, { round, seen, writes });
  const waitMs = unrestMs(rounds, context.random);
  if (rounds === 1) {
    context.log.warn({ key: seen.key, what: text }, 'desired does not settle, executing it with growing delays');
    context.metrics.failedForGood();
  }
  return { level: BURST, rounds, notBefore: context.now() + waitMs, text };
};

/**
 * Delays the writes of a function that never settles: its own writes wake its resource, and the function returns something else
 * again. After some consecutive passes of this sort, writes that only follow from own writes are delayed, with a growing delay.
 *
 * A change by another client (the resource, a child, an answer to a look-up, an outcome, an instant that has come) is handled
 * at once, whether or not the function settles.
 */
export const pauseOf = (context: Context, seen: Snapshot, { plan, given, failed }: Decision): Pause => {
  if (failed || given === undefined) return noPause;
  const round = roundSlot.get(context, seen);
  const unrest = unrestSlot.get(context, seen) ?? CALM;
  const writes = plan.steps.filter(isWrite);
  if (writes.length === 0) {
    if (round) {
      roundSlot.set(context, seen, undefined);
      unrestSlot.set(context, seen, undefined);
    }
    return noPause;
  }
  if (round === undefined || !onlyOwnWritesSince(round, seen)) return { ...noPause, ...stateOf(unrest) };
  const waitMs = (unrest.notBefore ?? -Infinity) - context.now();
  if (waitMs > 0) return { withholds: true, afterMs: waitMs, ...stateOf(unrest) };
  const next = restlessAgain(context, seen, { round, writes, unrest });
  unrestSlot.set(context, seen, next);
  return { ...noPause, ...stateOf(next) };
};

/** Records the writes of a pass that was complete: the next result may follow from them. */
export const noteRound = (context: Context, seen: Snapshot, { given }: Decision, execution: Execution): void => {
  const { done, failed, cut, outdated, current } = execution;
  if (done.length === 0) return;
  const isWhole = given !== undefined && !failed && !cut && !outdated && current;
  roundSlot.set(context, seen, isWhole ? roundOf(context, seen, { given, done }) : undefined);
};
