import { type State, stalled } from '#lib/desired/result/state.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { slot, withTimes } from '#lib/loop/context/memory.ts';
import type { Given } from '#lib/loop/pass/decision.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { changedFields } from '#lib/plan/fields/changed-fields.ts';
import { onlyOwnWritesSince, type Round, roundOf, unrestMs } from './round.ts';

/**
 * The number of statuses that may follow only from the previous status without a delay. The count begins again when the function
 * returns the stored status. For example, a rollout of 50 steps without waits writes two statuses for each step.
 */
const STEPS = 128;

/** The record of the written statuses of a function that reads its status. */
interface StatusUnrest {
  /** The number of statuses that followed only from the previous status, since the function last returned the stored status. */
  readonly steps: number;
  /** The end of the delay of the next such status, in epoch milliseconds; absent without a delay. */
  readonly notBefore?: number;
  /** The message about the fields that keep changing; absent before the first delay. */
  readonly text?: string;
  /** The pass that wrote the last status. */
  readonly round: Round;
}

const unrestSlot = slot<StatusUnrest | undefined>('statusUnrest', {
  empty: undefined,
  inspect: ({ round: _round, ...unrest }) => withTimes(unrest, 'notBefore'),
});

/**
 * Whether no input of the function except the status of the resource changed since the last written status. Without this check, a
 * function that counts up in its own status would write without pause. A status after another change is not delayed for this
 * reason.
 */
export const followsFromStatus = (context: Context, seen: Snapshot): boolean => {
  const unrest = unrestSlot.get(context, seen);
  return unrest !== undefined && onlyOwnWritesSince(context, unrest.round, seen);
};

/** The maximum number of fields that a message names. */
const NAMED = 3;

/** The fields in which the next status differs from the stored one, without the conditions, which the loop derives. */
const changesOf = ({ resource }: Snapshot, next: JsonObject): readonly string[] => {
  const { conditions: _before, ...before } = { ...resource.status };
  const { conditions: _after, ...after } = next;
  return changedFields(before, after, 'status');
};

const textOf = (seen: Snapshot, next: JsonObject): string =>
  `desired() returns another status after each one that it reads (${changesOf(seen, next).slice(0, NAMED).join(', ')}); a status must not count, nor depend on itself without end`;

/** The state that is reported for a function that does not settle, and the end of the delay of its next status. */
export interface Restlessness {
  readonly state: State;
  /** The end of the delay of a status for which {@link followsFromStatus} is true, in epoch milliseconds. */
  readonly notBefore: number;
}

/**
 * The state and the delay for a function that keeps changing its status; undefined if the function settles, or now returns the
 * stored status.
 */
export const restlessnessOf = (context: Context, seen: Snapshot, next: JsonObject): Restlessness | undefined => {
  const { text, notBefore } = unrestSlot.get(context, seen) ?? {};
  if (text === undefined || notBefore === undefined || changesOf(seen, next).length === 0) return undefined;
  return { state: stalled('NeverSettles', text), notBefore };
};

/** Records that a status was written, because the next status may follow from it. */
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

/** Deletes the record of a function that has settled, because the function returned the stored status. */
export const forgetStatus = (context: Context, seen: Snapshot): void => {
  if (unrestSlot.get(context, seen)) unrestSlot.set(context, seen, undefined);
};
