import { type State, stalled } from '#lib/desired/state.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Context, memoryOf, remember } from '#lib/loop/context.ts';
import { changedFields } from '#lib/plan/changed-fields.ts';
import type { Given } from './memo.ts';
import { onlyOwnWritesSince, type Round } from './round.ts';
import type { Seen } from './seen.ts';
import { type StatusUnrest, unrestMs } from './unrest.ts';

/**
 * So many statuses in a row, each due to nothing but the one before, may be steps that a function goes through: a rollout of
 * 50 steps with nothing to wait for writes two for each.
 */
const STEPS = 128;
/** What the function was given when the status was written. */
const roundsBefore = new WeakMap<StatusUnrest, Round>();

/**
 * Whether nothing has happened since the last status but that it was written: a function that looks at its own status and
 * wants another one each time (a counter) would be carried out without pause. What anybody else changes is answered at once.
 */
export const followsFromStatus = (context: Context, seen: Seen): boolean => {
  const { statusUnrest } = memoryOf(context, seen.key, seen.resource.metadata.uid);
  const round = statusUnrest && roundsBefore.get(statusUnrest);
  return round !== undefined && onlyOwnWritesSince(round, seen);
};

/** How many fields a message names. */
const NAMED = 3;

/** What the function itself says; conditions are what the loop makes of it. */
const changesOf = ({ resource }: Seen, next: JsonObject): readonly string[] => {
  const { conditions: _before, ...before } = { ...resource.status };
  const { conditions: _after, ...after } = next;
  return changedFields(before, after, 'status');
};

const textOf = (seen: Seen, next: JsonObject): string =>
  `desired() wants another status after each one that it reads (${changesOf(seen, next).slice(0, NAMED).join(', ')}); a status must not count, nor depend on itself without end`;

/** What is said of a function that does not settle, in place of its own state, and how long its next status waits. */
export interface Restlessness {
  readonly state: State;
  /** Epoch milliseconds, for a status that {@link followsFromStatus}. */
  readonly notBefore: number;
}

/** Nothing when the function wants no other status any more. */
export const restlessnessOf = (context: Context, seen: Seen, next: JsonObject): Restlessness | undefined => {
  const { text, notBefore } = memoryOf(context, seen.key, seen.resource.metadata.uid).statusUnrest ?? {};
  if (text === undefined || notBefore === undefined || changesOf(seen, next).length === 0) return undefined;
  return { state: stalled('NeverSettles', text), notBefore };
};

/** Notes that a status was written, which may be what the next one follows from. */
export const noteStatus = (
  context: Context,
  seen: Seen,
  { given, next, follows }: { readonly given: Given; readonly next: JsonObject; readonly follows: boolean },
): void => {
  const place = { key: seen.key, uid: seen.resource.metadata.uid };
  const { statusUnrest: { steps: before = 0, text: told } = {} } = memoryOf(context, place.key, place.uid);
  const steps = before + (follows ? 1 : 0);
  const rounds = steps - STEPS;
  const rest =
    rounds < 1 ? {} : { notBefore: context.now() + unrestMs(rounds, context.random), text: told ?? textOf(seen, next) };
  if (follows && rounds === 1)
    context.log.warn({ key: seen.key, ...rest }, 'the status does not settle, writing it ever more rarely');
  const statusUnrest = { steps, ...rest };
  roundsBefore.set(statusUnrest, { seen, given, written: new Map() });
  remember(context, place, { statusUnrest });
};

/** The function says what the status says already: it has settled. */
export const forgetStatus = (context: Context, { key, resource }: Seen): void => {
  const { uid } = resource.metadata;
  if (memoryOf(context, key, uid).statusUnrest) remember(context, { key, uid }, { statusUnrest: undefined });
};
