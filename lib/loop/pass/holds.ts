import type { Refusal } from '#lib/desired/observation.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';

/** What was refused is not tried again before its time, whatever event brings the next pass. */
export interface Hold {
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly notBefore: number;
  /** An edit of the spec ends the hold: it may have been the remedy. */
  readonly generation: number;
  /** How many children of the kind there were. With fewer the hold ends: there may be room again. */
  readonly population: number;
  /** When the pass began in which a quota refused it, in epoch milliseconds; absent for other reasons, and once there is room. */
  readonly quotaSince?: number;
  /** A quota has made room since: the hold is as short as it may be. */
  readonly hasRoom?: true;
}

/** The holds of one resource, by what they concern. */
export type Holds = ReadonlyMap<string, Hold>;

/** The first hold, in milliseconds; doubled with every refusal in a row. */
const INITIAL_MS = 100;
const MAX_MS = 300_000;

/**
 * When a quota makes room, what it refused is tried again after 100 to 200 ms: its admission hears of it by a watch of its
 * own, and what is tried too early is refused once more.
 */
const ROOM_MS = 100;

/** A quota that changes all the time brings about one try in so many milliseconds. */
const ROOM_DISTANCE_MS = 1000;

type Write = Pick<Refusal, 'verb' | 'kind' | 'name'>;

const scopeOfName = ({ verb, kind, name }: Write): string => `${verb} ${kind} ${name}`;
const scopeOfKind = ({ verb, kind }: Write): string => `${verb} ${kind}`;

/** A name that is taken, a change that is refused, a fight concern that name alone; quota, admission, rights and outages concern all writes of the sort. */
const scopeOf = (refusal: Refusal): string => {
  const { reason, verb } = refusal;
  const isOwn = reason === 'NameConflict' || reason === 'FieldConflict' || (reason === 'Invalid' && verb === 'apply');
  return isOwn ? scopeOfName(refusal) : scopeOfKind(refusal);
};

/** When and for which spec holds are looked at. */
export interface HoldMoment {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly generation: number;
  /** How many children of a kind there are. */
  readonly populationOf: (kind: string) => number;
}

/** True when a write has to wait. */
export const isHeld = (holds: Holds, write: Write, { now, generation, populationOf }: HoldMoment): boolean =>
  [scopeOfName(write), scopeOfKind(write)].some((scope) => {
    const hold = holds.get(scope);
    if (hold === undefined || hold.generation !== generation) return false;
    return now < hold.notBefore && populationOf(write.kind) >= hold.population;
  });

/** What became of the writes of a pass. */
export interface HoldOutcome extends HoldMoment {
  /** Refused in this pass. */
  readonly refused: readonly Refusal[];
  /** Refused before, and not tried in this pass. */
  readonly waiting: readonly Refusal[];
  /** How long the API server asks us to wait with what it refused, in milliseconds. */
  readonly waitsMs: ReadonlyMap<Refusal, number>;
  /** When the pass began, in epoch milliseconds. @default `now` */
  readonly began?: number;
  readonly random: () => number;
}

/** Most resources have none: they share this one. */
const NO_HOLDS: Holds = new Map();

/** The holds after a pass; those of writes that were accepted, or are wanted no more, are gone. */
export const holdsAfter = (before: Holds, outcome: HoldOutcome): Holds => {
  const { refused, waiting, now, generation, populationOf, waitsMs, random, began = now } = outcome;
  if (refused.length + waiting.length === 0) return NO_HOLDS;
  const after = new Map<string, Hold>();
  for (const refusal of waiting) {
    const hold = before.get(scopeOf(refusal));
    if (hold) after.set(scopeOf(refusal), hold);
  }
  for (const [scope, group] of Map.groupBy(refused, scopeOf)) {
    const [first] = group;
    const askedMs = Math.max(...group.map((refusal) => waitsMs.get(refusal) ?? 0));
    const population = populationOf(first?.kind ?? '');
    const earlier = before.get(scope);
    const attempts = (earlier?.generation === generation ? earlier.attempts : 0) + 1;
    const waitMs = Math.max(askedMs, backoffMs(attempts, { initialMs: INITIAL_MS, maxMs: MAX_MS, random }));
    const isByQuota = askedMs === 0 && group.some(({ reason }) => reason === 'QuotaExceeded');
    const hold = { attempts, notBefore: now + waitMs, generation, population };
    after.set(scope, isByQuota ? { ...hold, quotaSince: began } : hold);
  }
  return after;
};

/** True when a hold is due to a quota that has made no room yet. */
export const isRefusedByQuota = (holds: Holds): boolean =>
  [...holds.values()].some(({ quotaSince }) => quotaSince !== undefined);

/** When a quota made room, and for whose luck. */
export interface RoomMoment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Epoch milliseconds; what was refused in a pass that began later is refused in spite of it. */
  readonly madeAt: number;
  readonly random: () => number;
}

/**
 * The holds when a quota has made room: those that are due to a quota end soon, each once. What is refused again is held anew,
 * twice as long as before, until room is made again.
 */
export const withRoom = (holds: Holds, { now, madeAt, random }: RoomMoment): Holds => {
  if (!isRefusedByQuota(holds)) return holds;
  return new Map(
    [...holds].map(([scope, hold]) => {
      const { quotaSince, ...rest } = hold;
      if (quotaSince === undefined || quotaSince > madeAt) return [scope, hold] as const;
      const soon = Math.max(now + ROOM_MS * (1 + random()), quotaSince + ROOM_DISTANCE_MS);
      return [scope, { ...rest, notBefore: Math.min(rest.notBefore, soon), hasRoom: true }] as const;
    }),
  );
};

/** The holds that quotas have made room for. */
export const holdsWithRoom = (holds: Holds): Holds => new Map([...holds].filter(([, { hasRoom }]) => hasRoom));

/**
 * Milliseconds until the first hold ends, of those that had not ended when the pass began; Infinity without any. One that
 * had ended, and whose write waits for another hold, is not to be waited for: it would be looked at again at once, for ever.
 *
 * @param began - when holds were looked at, in epoch milliseconds
 * @param now - epoch milliseconds
 */
export const untilFirstEnds = (
  holds: Holds,
  { began, now }: { readonly began: number; readonly now: number },
): number => {
  const waiting = [...holds.values()].filter(({ notBefore }) => notBefore > began);
  return Math.min(Infinity, ...waiting.map(({ notBefore }) => Math.max(0, notBefore - now)));
};
