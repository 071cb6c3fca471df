import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { slot, withTimes } from '#lib/loop/context/memory.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';

/** The delay before refused writes are retried. The delay applies to all passes of the resource. */
export interface Hold {
  /** The number of consecutive refusals for this reason and generation. */
  readonly attempts: number;
  readonly reason: RefusalReason;
  /** The end of the hold, in epoch milliseconds. */
  readonly notBefore: number;
  /** The generation at the refusal. An edit of the spec ends the hold, because the edit may have removed the cause. */
  readonly generation: number;
  /**
   * The number of children of the kind at the refusal. When there are fewer children, the hold ends, because a quota may have
   * room.
   */
  readonly population: number;
  /**
   * The start of the pass in which a quota refused a write, in epoch milliseconds. Absent without such a refusal, after a
   * `Retry-After`, and when the quota has got room.
   */
  readonly quotaSince?: number;
  /** True when a quota got room after the refusal: then the hold has been shortened. */
  readonly hasRoom?: true;
}

/** The holds of one resource, by verb, kind and namespace, or by verb, kind and name; see {@link concernsNameAlone}. */
export type Holds = ReadonlyMap<string, Hold>;

/** The slot in memory for the holds of a resource. */
export const holdsSlot = slot<Holds>('holds', {
  empty: new Map(),
  inspect: (holds) =>
    Object.fromEntries([...holds].map(([scope, hold]) => [scope, withTimes(hold, 'notBefore', 'quotaSince')])),
});

/**
 * The length of the first hold for each reason, in milliseconds. Each consecutive refusal doubles the length, up to `MAX_MS`.
 * Holds are short for causes that usually end soon, and long for causes that usually need a user. A hold for a quota ends soon
 * after the quota has room ({@link withRoom}).
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
 * The minimum random delay of a retry after a quota got room, in milliseconds; the maximum is twice as long. The admission plugin
 * has its own watch of the quota, and refuses creates until that watch shows the change.
 */
const ROOM_MS = 100;

/** The minimum time between two retries that changes of a quota cause, in milliseconds. */
const ROOM_DISTANCE_MS = 1000;

type Write = Pick<Refusal, 'verb' | 'kind' | 'name'>;

const scopeOfName = ({ verb, kind, name }: Write): string => `${verb} ${kind} ${name}`;

/** The key of a refusal that concerns all writes of one verb and kind in a namespace. See `scopedName` for the names. */
export const scopeOfKind = ({ verb, kind, name }: Write): string => {
  const namespace = name.slice(0, name.indexOf('/') + 1);
  return namespace === '' ? `${verb} ${kind}` : `${verb} ${kind} ${namespace}`;
};

/** Whether a key concerns all writes with the verb and the kind of a write, in any namespace. */
const isScopeOfSort = (scope: string, { verb, kind }: Write): boolean =>
  scope === `${verb} ${kind}` || (scope.startsWith(`${verb} ${kind} `) && scope.endsWith('/'));

/**
 * Whether a refusal concerns one child only: its name is taken, its fields are in conflict, or an apply of it is invalid. All
 * other refusals, for example by a quota, admission or an outage, concern all writes of the same verb and kind in the namespace.
 */
export const concernsNameAlone = ({ reason, verb }: Pick<Refusal, 'reason' | 'verb'>): boolean =>
  reason === 'NameConflict' || reason === 'FieldConflict' || (reason === 'Invalid' && verb === 'apply');

const scopeOf = (refusal: Refusal): string =>
  concernsNameAlone(refusal) ? scopeOfName(refusal) : scopeOfKind(refusal);

/** The state of a resource against which holds are checked. */
export interface HoldMoment {
  /** The current time, in epoch milliseconds. */
  readonly now: number;
  /** The generation of the resource. */
  readonly generation: number;
  /** Returns the current number of children of a kind. */
  readonly populationOf: (kind: string) => number;
}

/**
 * Whether a write is on hold.
 *
 * @param write - `isChanged`: the intent differs from the last one, so an earlier conflict over fields does not apply
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

const lasting: ReadonlySet<RefusalReason> = new Set([
  'QuotaExceeded',
  'AdmissionDenied',
  'Forbidden',
  'Invalid',
  'NamespaceTerminating',
  'WebhookFailed',
]);

/**
 * Whether the next write with the same verb and kind would most likely be refused for the same reason, also for other resources.
 */
export const isLasting = (reason: RefusalReason): boolean => lasting.has(reason);

/**
 * Whether a write that is not on hold only tests if a lasting reason has ended. This is so if the spec is unchanged, the number of
 * children has not decreased, and no quota got room. A reason in another namespace counts, too: it may concern all namespaces.
 */
export const isProbe = (holds: Holds, write: Write, { generation, populationOf }: HoldMoment): boolean => {
  const isTested = (hold: Hold): boolean => {
    if (hold.hasRoom || hold.generation !== generation) return false;
    return isLasting(hold.reason) && populationOf(write.kind) >= hold.population;
  };
  const own = holds.get(scopeOfKind(write));
  if (own) return isTested(own);
  return [...holds].some(([scope, hold]) => isScopeOfSort(scope, write) && isTested(hold));
};

/** The outcome of the writes of a pass, from which the new holds are computed. */
export interface HoldOutcome extends HoldMoment {
  readonly refused: readonly Refusal[];
  /** The refusals of earlier passes that still apply. */
  readonly waiting: readonly Refusal[];
  /** The minimum delay of the retry, in milliseconds; 0 when only the usual back-off applies. */
  readonly waitsMs: ReadonlyMap<Refusal, number>;
  /** The time at which the pass began, in epoch milliseconds. @default `now` */
  readonly began?: number;
  readonly random: () => number;
}

const NO_HOLDS: Holds = new Map();

/** The refusal of a group for the reason with the longest first hold. */
const slowestOf = (group: readonly [Refusal, ...Refusal[]]): Refusal =>
  group.reduce((slowest, next) => (INITIAL_MS[next.reason] > INITIAL_MS[slowest.reason] ? next : slowest));

/** The holds after a pass, without the holds of writes that succeeded or are no longer desired. */
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
 * Whether a hold waits for a quota that still has no room.
 *
 * @param began - counts only the holds of passes that began at this time or later, in epoch milliseconds. @default all holds
 */
export const isRefusedByQuota = (holds: Holds, began = -Infinity): boolean =>
  [...holds.values()].some(({ quotaSince = -Infinity }) => quotaSince > -Infinity && quotaSince >= began);

/** The input of {@link withRoom}. */
export interface RoomMoment {
  /** The current time, in epoch milliseconds. */
  readonly now: number;
  /** The time at which the quota got room, in epoch milliseconds; a hold of a pass that began later is not shortened. */
  readonly madeAt: number;
  /** The earliest end of a shortened hold, in epoch milliseconds. @default `now` */
  readonly notBefore?: number;
  readonly random: () => number;
}

/**
 * The holds after a quota got room. Each hold that waits for a quota since `madeAt` or earlier ends soon. A hold is shortened
 * only once. After another refusal, the length of the hold grows as usual.
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

/** The holds that {@link withRoom} shortened. */
export const holdsWithRoom = (holds: Holds): Holds => new Map([...holds].filter(([, { hasRoom }]) => hasRoom));

/**
 * Milliseconds until the first hold ends; Infinity if there is no hold. Holds that ended before the pass began do not count. If
 * they counted, and another hold still blocked the same write, passes would follow each other without a delay.
 *
 * @param began - the time at which the pass checked the holds, in epoch milliseconds
 * @param now - epoch milliseconds
 */
export const untilFirstEnds = (
  holds: Holds,
  { began, now }: { readonly began: number; readonly now: number },
): number => {
  const waiting = [...holds.values()].filter(({ notBefore }) => notBefore > began);
  return Math.min(Infinity, ...waiting.map(({ notBefore }) => Math.max(0, notBefore - now)));
};
