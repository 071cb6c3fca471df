import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { slot, withTimes } from '#lib/loop/context/memory.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';

/** A refused write is not retried before its time, whatever event causes the next pass. */
export interface Hold {
  /** Refusals in a row for this reason. */
  readonly attempts: number;
  readonly reason: RefusalReason;
  /** Epoch milliseconds. */
  readonly notBefore: number;
  /** An edit of the spec ends the hold: it may have been the remedy. */
  readonly generation: number;
  /** The number of children of the kind at the refusal. With fewer children the hold ends, because there may be room again. */
  readonly population: number;
  /** When the pass began in which a quota refused it, in epoch milliseconds; absent for other reasons, and once there is room. */
  readonly quotaSince?: number;
  /** A quota has made room since: the hold has its minimum length. */
  readonly hasRoom?: true;
}

/** The holds of one resource, by verb and kind. */
export type Holds = ReadonlyMap<string, Hold>;

/** The holds of a resource. */
export const holdsSlot = slot<Holds>('holds', {
  empty: new Map(),
  inspect: (holds) =>
    Object.fromEntries([...holds].map(([scope, hold]) => [scope, withTimes(hold, 'notBefore', 'quotaSince')])),
});

/**
 * The first hold, in milliseconds; doubled with every consecutive refusal. Temporary refusals are retried soon; a refusal by a
 * policy, or of an invalid object, needs the action of a person. Room in a quota ends a hold ({@link withRoom}).
 */
const INITIAL_MS: Readonly<Record<RefusalReason, number>> = {
  Unavailable: 100,
  NameConflict: 100,
  FieldConflict: 100,
  QuotaExceeded: 1000,
  Forbidden: 1000,
  WebhookFailed: 1000,
  AdmissionDenied: 10_000,
  NamespaceTerminating: 10_000,
  Invalid: 10_000,
};
const MAX_MS = 300_000;

/**
 * When a quota makes room, refused creates are retried after 100 to 200 ms: the admission plugin has a watch of its own, and
 * refuses creates again until it has seen the change.
 */
const ROOM_MS = 100;

/** Milliseconds between the tries that a quota which changes all the time brings about. */
const ROOM_DISTANCE_MS = 1000;

type Write = Pick<Refusal, 'verb' | 'kind' | 'name'>;

const scopeOfName = ({ verb, kind, name }: Write): string => `${verb} ${kind} ${name}`;
/** The scope of a refusal that concerns all writes of one verb and kind. */
export const scopeOfKind = ({ verb, kind }: Write): string => `${verb} ${kind}`;

/** A name that is taken, a change that is refused, a fight concern that name alone; quota, admission, rights and outages concern all writes of the sort. */
export const concernsNameAlone = ({ reason, verb }: Pick<Refusal, 'reason' | 'verb'>): boolean =>
  reason === 'NameConflict' || reason === 'FieldConflict' || (reason === 'Invalid' && verb === 'apply');

const scopeOf = (refusal: Refusal): string =>
  concernsNameAlone(refusal) ? scopeOfName(refusal) : scopeOfKind(refusal);

/** The time and the spec for which holds are checked. */
export interface HoldMoment {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly generation: number;
  /** How many children of a kind there are. */
  readonly populationOf: (kind: string) => number;
}

/**
 * Whether a write is on hold.
 *
 * @param write - `isChanged`: its intent differs from the last one, so an earlier conflict over fields does not apply
 */
export const isOnHold = (
  holds: Holds,
  { isChanged = false, ...write }: Write & { readonly isChanged?: boolean },
  { now, generation, populationOf }: HoldMoment,
): boolean =>
  [scopeOfName(write), scopeOfKind(write)].some((scope) => {
    const hold = holds.get(scope);
    if (hold === undefined || hold.generation !== generation) return false;
    if (isChanged && hold.reason === 'FieldConflict') return false;
    return now < hold.notBefore && populationOf(write.kind) >= hold.population;
  });

/** Refusals on purpose, which similar writes of other resources would meet as well. */
const lasting: ReadonlySet<RefusalReason> = new Set([
  'QuotaExceeded',
  'AdmissionDenied',
  'Forbidden',
  'Invalid',
  'NamespaceTerminating',
  'WebhookFailed',
]);

/** True for a refusal that the next write of the sort would most likely meet, too, whichever resource it is for. */
export const isLasting = (reason: RefusalReason): boolean => lasting.has(reason);

/**
 * Whether a write whose hold ended is only a probe, because nothing but time has passed: no edit of the spec, no child that is
 * gone, and no room in a quota.
 */
export const isProbe = (holds: Holds, write: Write, { generation, populationOf }: HoldMoment): boolean => {
  const hold = holds.get(scopeOfKind(write));
  if (hold === undefined || hold.hasRoom || hold.generation !== generation) return false;
  return isLasting(hold.reason) && populationOf(write.kind) >= hold.population;
};

/** The outcome of the writes of a pass. */
export interface HoldOutcome extends HoldMoment {
  /** Refused in this pass. */
  readonly refused: readonly Refusal[];
  /** Refused before, and not tried in this pass. */
  readonly waiting: readonly Refusal[];
  /** The minimum delay of the retry, in milliseconds; 0 where only the back-off applies. */
  readonly waitsMs: ReadonlyMap<Refusal, number>;
  /** When the pass began, in epoch milliseconds. @default `now` */
  readonly began?: number;
  readonly random: () => number;
}

/** Most resources have none: they share this one. */
const NO_HOLDS: Holds = new Map();

/** The refusal that lasts longest. */
const slowestOf = (group: readonly [Refusal, ...Refusal[]]): Refusal =>
  group.reduce((slowest, next) => (INITIAL_MS[next.reason] > INITIAL_MS[slowest.reason] ? next : slowest));

/** The holds after a pass; those of writes that were accepted, or are no longer desired, are gone. */
export const holdsAfter = (before: Holds, outcome: HoldOutcome): Holds => {
  const { refused, waiting, now, generation, populationOf, waitsMs, random, began = now } = outcome;
  if (refused.length + waiting.length === 0) return NO_HOLDS;
  const after = new Map<string, Hold>();
  for (const refusal of waiting) {
    const hold = before.get(scopeOf(refusal));
    if (hold) after.set(scopeOf(refusal), hold);
  }
  for (const [scope, group] of Map.groupBy(refused, scopeOf) as Map<string, [Refusal, ...Refusal[]]>) {
    const { kind, reason } = slowestOf(group);
    const askedMs = Math.max(...group.map((refusal) => waitsMs.get(refusal) ?? 0));
    const population = populationOf(kind);
    const earlier = before.get(scope);
    const isAgain = earlier?.generation === generation && earlier.reason === reason;
    const attempts = (isAgain ? earlier.attempts : 0) + 1;
    const initialMs = INITIAL_MS[reason];
    const waitMs = Math.max(askedMs, backoffMs(attempts, { initialMs, maxMs: MAX_MS, random }));
    const isByQuota = askedMs === 0 && group.some(({ reason }) => reason === 'QuotaExceeded');
    const hold = { attempts, reason, notBefore: now + waitMs, generation, population };
    after.set(scope, isByQuota ? { ...hold, quotaSince: began } : hold);
  }
  return after;
};

/**
 * Whether a hold waits for a quota that has made no room yet.
 *
 * @param began - that refused something in a pass that began then or later, in epoch milliseconds. @default any
 */
export const isRefusedByQuota = (holds: Holds, began = -Infinity): boolean =>
  [...holds.values()].some(({ quotaSince = -Infinity }) => quotaSince > -Infinity && quotaSince >= began);

/** The time at which a quota made room, and a source of randomness. */
export interface RoomMoment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Epoch milliseconds; refusals in a pass that began later are new. */
  readonly madeAt: number;
  /** No hold ends before this time; epoch milliseconds. @default any time */
  readonly notBefore?: number;
  readonly random: () => number;
}

/**
 * The holds after a quota made room: those that wait for a quota end soon, each once. A create that is refused again gets a new
 * hold, twice as long as before.
 */
export const withRoom = (holds: Holds, { now, madeAt, notBefore = now, random }: RoomMoment): Holds => {
  if (!isRefusedByQuota(holds)) return holds;
  return new Map(
    [...holds].map(([scope, hold]) => {
      const { quotaSince, ...rest } = hold;
      if (quotaSince === undefined || quotaSince > madeAt) return [scope, hold] as const;
      const soon = Math.max(now + ROOM_MS * (1 + random()), quotaSince + ROOM_DISTANCE_MS, notBefore);
      return [scope, { ...rest, notBefore: Math.min(rest.notBefore, soon), hasRoom: true }] as const;
    }),
  );
};

/** The holds that quotas have made room for. */
export const holdsWithRoom = (holds: Holds): Holds => new Map([...holds].filter(([, { hasRoom }]) => hasRoom));

/**
 * Milliseconds until the first hold ends; Infinity if there is none. Holds that had already ended when the pass began do not
 * count: if another hold still blocks the same write, they would start the next pass at once, again and again.
 *
 * @param began - when the pass looked at the holds, in epoch milliseconds
 * @param now - epoch milliseconds
 */
export const untilFirstEnds = (
  holds: Holds,
  { began, now }: { readonly began: number; readonly now: number },
): number => {
  const waiting = [...holds.values()].filter(({ notBefore }) => notBefore > began);
  return Math.min(Infinity, ...waiting.map(({ notBefore }) => Math.max(0, notBefore - now)));
};
