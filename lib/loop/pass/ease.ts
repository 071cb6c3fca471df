import type { State } from '#lib/desired/state.ts';
import { stalled } from '#lib/desired/state.ts';
import { type Context, memoryOf, remember } from '#lib/loop/context.ts';
import { changedFields } from '#lib/plan/changed-fields.ts';
import type { Step } from '#lib/plan/step.ts';
import type { Wanted } from './decision.ts';
import type { Execution } from './execute.ts';
import { isFinalizing } from './finalizer.ts';
import { idOfStep, noteRoundOf, onlyOwnWritesSince, type Round, roundIn } from './round.ts';
import type { Seen } from './seen.ts';
import { type Unrest, unrestMs } from './unrest.ts';
import type { WriteStep } from './write-child.ts';

/** So many passes in a row that write the same child again may be steps that a function goes through. */
const BURST = 5;
/** Passes that write other children than the one before count less: a large set may grow one by one. */
const SHARE_OF_OTHERS = 1 / 20;
/** How many children and fields a message names. */
const NAMED = 3;

/** The loop's own note on the intent changes with whatever else does. */
const OWN_FIELD = 'metadata.annotations["cdk8s-reconcile/intent"]';

const someOf = (names: readonly string[]): string => {
  const sorted = [...new Set(names)].toSorted();
  const more = sorted.length > NAMED ? [`${sorted.length - NAMED} more`] : [];
  return [...sorted.slice(0, NAMED), ...more].join(', ');
};

/** Of a child that is written again with another intent, the fields; of one that comes and goes, its kind, as names may change. */
const changeOf = (round: Round, step: WriteStep): string | undefined => {
  const before = round.written.get(idOfStep(step))?.step;
  if (before === undefined) return `${step.kind.kind}: another one each time`;
  if (!('intent' in step && 'intent' in before)) return `${step.kind.kind}: written and taken away in turn`;
  const fields = changedFields(before.object, step.object).filter((field) => field !== OWN_FIELD);
  return fields.length === 0 ? undefined : `${step.kind.kind} "${step.name}": ${someOf(fields)}`;
};

const textOf = (round: Round, seen: Seen, writes: readonly WriteStep[]): string => {
  const again = writes.filter((step) => round.written.has(idOfStep(step)));
  const changes = (again.length > 0 ? again : writes).flatMap((step) => changeOf(round, step) ?? []);
  const what = changes.length === 0 ? 'the same once more' : someOf(changes);
  const name = isFinalizing(seen) ? 'finalize()' : 'desired()';
  return `${name} wants something else after each of its own changes (${what}); compute children from the observation alone, without counters, random values or the current time`;
};

/** What a pass may do about its plan. */
export interface Ease {
  /** All writes are left for later: they follow from the last ones and from nothing else. */
  readonly withholds: boolean;
  /** Milliseconds until they are carried out; Infinity when none are withheld. */
  readonly afterMs: number;
  /** In place of the function's. */
  readonly state?: State;
}

const atEase: Ease = { withholds: false, afterMs: Infinity };

const toldOf = ({ rounds, text }: Unrest): Pick<Ease, 'state'> =>
  rounds === 0 ? {} : { state: stalled('NeverSettles', text) };

const isWrite = (step: Step): step is WriteStep => step.step !== 'skip';

/** One more pass that is due to its predecessor alone; beyond the burst, the next such pass has to wait. */
const restlessAgain = (
  context: Context,
  seen: Seen,
  { round, writes, unrest }: { readonly round: Round; readonly writes: readonly WriteStep[]; readonly unrest: Unrest },
): Unrest => {
  const repeats = writes.some((step) => round.written.has(idOfStep(step)));
  const level = unrest.level + (repeats ? 1 : SHARE_OF_OTHERS);
  if (level < BURST) return { ...unrest, level };
  const rounds = unrest.rounds + 1;
  const text = textOf(round, seen, writes);
  const waitMs = unrestMs(rounds, context.random);
  if (rounds === 1) {
    context.log.warn({ key: seen.key, what: text }, 'desired does not settle, carrying it out ever more rarely');
    context.metrics.failedForGood();
  }
  return { level: BURST, rounds, notBefore: context.now() + waitMs, text };
};

/**
 * Keeps a function that never settles from being carried out without pause: its own writes wake its resource, and it wants
 * something else again. After some such passes in a row what follows from own writes alone is withheld, ever longer.
 *
 * What anybody else changes (the resource, a child, an answer to a look-up, an outcome, an instant that has come) is
 * answered at once, however restless the function is.
 */
export const easeOf = (context: Context, seen: Seen, { plan, given, failed }: Wanted): Ease => {
  const place = { key: seen.key, uid: seen.resource.metadata.uid };
  const { wrote, unrest = { level: 0, rounds: 0, text: '' } } = memoryOf(context, place.key, place.uid);
  if (failed || given === undefined) return atEase;
  const writes = plan.steps.filter(isWrite);
  if (writes.length === 0) {
    if (wrote) remember(context, place, { wrote: undefined, unrest: undefined });
    return atEase;
  }
  const round = roundIn(wrote);
  if (round === undefined || !onlyOwnWritesSince(round, seen)) return { ...atEase, ...toldOf(unrest) };
  const waitMs = (unrest.notBefore ?? -Infinity) - context.now();
  if (waitMs > 0) return { withholds: true, afterMs: waitMs, ...toldOf(unrest) };
  const next = restlessAgain(context, seen, { round, writes, unrest });
  remember(context, place, { unrest: next });
  return { ...atEase, ...toldOf(next) };
};

/** Notes what a pass wrote, if all that it wanted was done: what the next one wants may be due to that. */
export const noteRound = (context: Context, seen: Seen, { given }: Wanted, execution: Execution): void => {
  const { done, failed, cut, outdated, current } = execution;
  const place = { key: seen.key, uid: seen.resource.metadata.uid };
  if (done.length === 0) return;
  const isWhole = given !== undefined && !failed && !cut && !outdated && current;
  remember(context, place, { wrote: isWhole ? noteRoundOf(context, seen, { given, done }) : undefined });
};
