import { type State, stalled } from '#lib/desired/result/state.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { slot, withTimes } from '#lib/loop/context/memory.ts';
import type { Given } from '#lib/loop/pass/decision.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { changedFields } from '#lib/plan/fields/changed-fields.ts';
import { onlyOwnWritesSince, type Round, roundOf, unrestMs } from './round.ts';

/**
 * The number of consecutive statuses, each caused only by the one before, that count as steps of a function: a rollout of 50
 * steps without waits writes two for each.
 */
const STEPS = 128;

/** A function that returns another status after each written one. */
interface StatusUnrest {
  /** How many statuses in a row were due to nothing but the one before. */
  readonly steps: number;
  /** Until when the next such one is withheld, in epoch milliseconds; absent while none is. */
  readonly notBefore?: number;
  /** The fields that keep changing. */
  readonly text?: string;
  /** The pass that wrote the status. */
  readonly round: Round;
}

const unrestSlot = slot<StatusUnrest | undefined>('statusUnrest', {
  empty: undefined,
  inspect: ({ round: _round, ...unrest }) => withTimes(unrest, 'notBefore'),
});

/**
 * Whether nothing but a write of the status happened since the last status. A function that reads its own status and returns
 * another one each time (a counter) would otherwise write without pause. Changes by other clients are handled at once.
 */
export const followsFromStatus = (context: Context, seen: Snapshot): boolean => {
  const unrest = unrestSlot.get(context, seen);
  return unrest !== undefined && onlyOwnWritesSince(unrest.round, seen);
};

/** How many fields a message names. */
const NAMED = 3;

/** The changes of the function's own status; the loop derives the conditions. */
const changesOf = ({ resource }: Snapshot, next: JsonObject): readonly string[] => {
  const { conditions: _before, ...before } = { ...resource.status };
  const { conditions: _after, ...after } = next;
  return changedFields(before, after, 'status');
};

const textOf = (seen: Snapshot, next: JsonObject): string =>
  `desired() returns another status after each one that it reads (${changesOf(seen, next).slice(0, NAMED).join(', ')}); a status must not count, nor depend on itself without end`;

/** The state of a function that does not settle, in place of its own, and until when its next status waits. */
export interface Restlessness {
  readonly state: State;
  /** Epoch milliseconds, for a status that {@link followsFromStatus}. */
  readonly notBefore: number;
}

/** Undefined when the function returns the stored status. */
export const restlessnessOf = (context: Context, seen: Snapshot, next: JsonObject): Restlessness | undefined => {
  const { text, notBefore } = unrestSlot.get(context, seen) ?? {};
  if (text === undefined || notBefore === undefined || changesOf(seen, next).length === 0) return undefined;
  return { state: stalled('NeverSettles', text), notBefore };
};

/** Records that a status was written, from which the next one may follow. */
export const noteStatus = (
  context: Context,
  seen: Snapshot,
  { given, next, follows }: { readonly given: Given; readonly next: JsonObject; readonly follows: boolean },
): void => {
  const { steps: before = 0, text: told } = unrestSlot.get(context, seen) ?? {};
  const steps = before + (follows ? 1 : 0);
  const rounds = steps - STEPS;
  const rest =
    rounds < 1 ? {} : { notBefore: context.now() + unrestMs(rounds, context.random), text: told ?? textOf(seen, next) };
  if (follows && rounds === 1)
    context.log.warn({ key: seen.key, ...rest }, 'the status does not settle, writing it with growing delays');
  unrestSlot.set(context, seen, { steps, ...rest, round: roundOf(context, seen, { given }) });
};

/** The function returns the stored status: it has settled. */
export const forgetStatus = (context: Context, seen: Snapshot): void => {
  if (unrestSlot.get(context, seen)) unrestSlot.set(context, seen, undefined);
};
