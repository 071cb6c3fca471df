import { type State, stalled } from '#lib/desired/state.ts';
import type { JsonObject } from '#lib/kind/json.ts';
import { type Context, memoryOf, remember } from '#lib/loop/context.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import { changedFields } from '#lib/plan/changed-fields.ts';
import type { Given } from './memo.ts';
import type { Seen } from './observe.ts';
import { onlyOwnWritesSince, type Round } from './round.ts';
import type { StatusUnrest } from './unrest.ts';

/**
 * So many statuses in a row, each due to nothing but the one before, may be steps that a function goes through: a rollout of
 * 50 steps with nothing to wait for writes two for each.
 */
const STEPS = 128;
/** How long the next one is withheld at first, and at most, in milliseconds. */
const INITIAL_MS = 1000;
const MAX_MS = 300_000;

/** What the function was given when the status was written. */
const roundsBefore = new WeakMap<StatusUnrest, Round>();

/** What a status of a function that does not settle has to wait for, and what is said of it in place of the function's state. */
export interface StatusEase {
  /** In milliseconds; 0 or less for not at all. */
  readonly waitMs: number;
  readonly state?: State;
  /** Nothing has happened since the last status but that it was written. */
  readonly alone: boolean;
}

/**
 * Whether a status may be written: a function that looks at its own status and wants another one each time (a counter)
 * would be carried out without pause. What anybody else changes is answered at once.
 */
export const statusEaseOf = (context: Context, seen: Seen): StatusEase => {
  const { statusUnrest } = memoryOf(context, seen.key, seen.resource.metadata.uid);
  const round = statusUnrest && roundsBefore.get(statusUnrest);
  if (statusUnrest === undefined || round === undefined) return { waitMs: 0, alone: false };
  const { text, notBefore } = statusUnrest;
  const alone = onlyOwnWritesSince(round, seen);
  const waitMs = alone && notBefore !== undefined ? notBefore - context.now() : 0;
  return { waitMs, alone, ...(text !== undefined && { state: stalled('NeverSettles', text) }) };
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

/** What is to be said in place of the function's state; nothing when the function wants no other status any more. */
export const restlessState = ({ state }: StatusEase, seen: Seen, next: JsonObject): State | undefined =>
  state && changesOf(seen, next).length > 0 ? state : undefined;

/** Notes that a status was written, which may be what the next one follows from. */
export const noteStatus = (
  context: Context,
  seen: Seen,
  { given, next, ease }: { readonly given: Given; readonly next: JsonObject; readonly ease: StatusEase },
): void => {
  const place = { key: seen.key, uid: seen.resource.metadata.uid };
  const { statusUnrest: { steps: before = 0, text: told } = {} } = memoryOf(context, place.key, place.uid);
  const steps = before + (ease.alone ? 1 : 0);
  const rounds = steps - STEPS;
  const rest =
    rounds < 1 ? {} : { notBefore: context.now() + restMs(context, rounds), text: told ?? textOf(seen, next) };
  if (ease.alone && rounds === 1)
    context.log.warn({ key: seen.key, ...rest }, 'the status does not settle, writing it ever more rarely');
  const statusUnrest = { steps, ...rest };
  roundsBefore.set(statusUnrest, { seen, given, written: new Map() });
  remember(context, place, { statusUnrest });
};

const restMs = ({ random }: Context, rounds: number): number =>
  backoffMs(rounds, { initialMs: INITIAL_MS, maxMs: MAX_MS, random });

/** The function says what the status says already: it has settled. */
export const forgetStatus = (context: Context, { key, resource }: Seen): void => {
  const { uid } = resource.metadata;
  if (memoryOf(context, key, uid).statusUnrest) remember(context, { key, uid }, { statusUnrest: undefined });
};
