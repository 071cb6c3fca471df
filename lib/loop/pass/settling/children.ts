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

/** The number of consecutive passes in which a function may change the same child again before a delay begins. */
const BURST = 5;
/**
 * The weight of a pass that writes other children than the previous pass. The weight is small, because a function may create many
 * children one by one.
 */
const SHARE_OF_OTHERS = 1 / 20;

/** The record of a function that returns another result after each write of the loop. */
export interface Unrest {
  /** The weighted number of consecutive passes with writes that followed only from the writes of the previous pass. */
  readonly level: number;
  /** The number of consecutive delays. */
  readonly rounds: number;
  /** The end of the delay, in epoch milliseconds; absent without a delay. */
  readonly notBefore?: number;
  /** Describes the changing fields; empty before the first delay. The text is the same while the same fields change. */
  readonly text: string;
}

const CALM: Unrest = { level: 0, rounds: 0, text: '' };

const unrestSlot = slot<Unrest | undefined>('unrest', {
  empty: undefined,
  inspect: (unrest) => withTimes(unrest, 'notBefore'),
});

/** The record of the last pass that wrote children, see {@link noteRound}. */
const roundSlot = slot<Round | undefined>('wrote', {
  empty: undefined,
  inspect: ({ written }) => [...written.keys()],
});

/** The annotation with the hash of the intent. Messages leave it out, because it changes with every other field. */
const OWN_FIELD = 'metadata.annotations["cdk8s-reconcile/intent"]';

const someOf = (names: readonly string[]): string => shownList([...new Set(names)].toSorted());

/**
 * Describes the change between two writes of a child: the fields if the loop writes the child again with another intent. The text
 * has only the kind if another child is written each time, or if children are created and deleted in turn. The names of such
 * children may change. Undefined without a change.
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

/** The planned writes of a pass, and the previous pass. */
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

/** Whether the loop delays the writes of a pass. */
export interface Pause {
  /** True when all writes are delayed, because they follow only from the last writes of the loop. */
  readonly withholds: boolean;
  /** Milliseconds until the end of the delay; Infinity without a delay. */
  readonly afterMs: number;
  /** The state to report in place of the state that the function returned. */
  readonly state?: State;
}

const noPause: Pause = { withholds: false, afterMs: Infinity };

const stateOf = ({ rounds, text }: Unrest): Pick<Pause, 'state'> =>
  rounds === 0 ? {} : { state: stalled('NeverSettles', text) };

const isWrite = (step: Step): step is WriteStep => step.step !== 'skip';

/** Counts one more pass that follows only from the previous pass. From {@link BURST} on, the next such pass is delayed. */
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
 * Decides whether the writes of a pass are delayed. If a function never settles, each write starts a pass, in which the function
 * returns another result. After some consecutive passes of this sort, the loop delays writes that follow only from its own
 * earlier writes. The delay grows up to 5 minutes.
 *
 * Writes are not delayed after any other change of the inputs of the function, see {@link onlyOwnWritesSince}. Examples are a
 * change of the spec, a change of a child by another client, and an outcome of an effect.
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
  if (round === undefined || !onlyOwnWritesSince(context, round, seen)) return { ...noPause, ...stateOf(unrest) };
  const waitMs = (unrest.notBefore ?? -Infinity) - context.now();
  if (waitMs > 0) return { withholds: true, afterMs: waitMs, ...stateOf(unrest) };
  const next = restlessAgain(context, seen, { round, writes, unrest });
  unrestSlot.set(context, seen, next);
  return { ...noPause, ...stateOf(next) };
};

/**
 * Records the writes of a pass, because the next result may follow from them. Drops the record instead if the function was not
 * called, a write failed or was `outdated`, or the pass stopped early.
 */
export const noteRound = (context: Context, seen: Snapshot, { given }: Decision, execution: Execution): void => {
  const { done, failed, cut, outdated, current } = execution;
  if (done.length === 0) return;
  const isWhole = given !== undefined && !failed && !cut && !outdated && current;
  roundSlot.set(context, seen, isWhole ? roundOf(context, seen, { given, done }) : undefined);
};
