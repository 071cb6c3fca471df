import { type FieldWay, holdsField } from '#lib/plan/fields/lost-fields.ts';
import type { FieldTree } from '#lib/plan/fields/pin.ts';

/**
 * The number of consecutive corrections that do not count as a conflict. For example, a user may edit an object several times.
 */
const BURST = 5;

/** The time in which the level of corrections decreases by one, in milliseconds. */
const FORGET_MS = 60_000;

/** The recent corrections of a field or status that another writer changes, and the pause before the next correction. */
export interface Corrections {
  /** The number of recent corrections, at `at`; the level decreases by one per minute. */
  readonly level: number;
  /** The time from which `level` decreases, in epoch milliseconds: the last correction, or the end of the last pause. */
  readonly at: number;
  /** The number of consecutive pauses. */
  readonly rounds: number;
  /** The end of the last pause, in epoch milliseconds; absent if no pause began since the last correction. */
  readonly notBefore?: number;
}

const NONE: Corrections = { level: 0, at: 0, rounds: 0 };

/** The input of {@link correctionAfter}. */
export interface CorrectionMoment {
  /** The current time, in epoch milliseconds. */
  readonly now: number;
  /** The number of consecutive corrections that do not count as a conflict. @default 5 */
  readonly burst?: number;
}

/**
 * Decides whether the operator corrects a change by another writer again. After some consecutive corrections, there is a pause;
 * then a single correction shows whether the conflict is over.
 *
 * @returns the milliseconds to wait; `leave` when the caller must call {@link leftAlone} and keep its result; otherwise the
 * updated corrections
 */
export const correctionAfter = (
  before: Corrections = NONE,
  { now, burst = BURST }: CorrectionMoment,
): number | 'leave' | Corrections => {
  const { notBefore, rounds } = before;
  if (notBefore !== undefined && now < notBefore) return notBefore - now;
  const level = Math.max(0, before.level - Math.max(0, now - before.at) / FORGET_MS);
  if (level + 1 > burst && notBefore === undefined) return 'leave';
  return { level: Math.min(level + 1, BURST), at: now, rounds: level > 0 ? rounds : 0 };
};

/**
 * Begins a pause, in which the operator does not correct the field or status. `waitMs` returns the length of the pause from the
 * number of consecutive pauses.
 */
export const leftAlone = (
  { rounds: before }: Corrections = NONE,
  { now, waitMs }: { readonly now: number; readonly waitMs: (rounds: number) => number },
): Corrections & { readonly notBefore: number } => {
  const rounds = before + 1;
  const notBefore = now + waitMs(rounds);
  return { level: BURST, at: notBefore, rounds, notBefore };
};

/** An entry of `managedFields`. */
export interface ManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
  readonly fieldsV1?: FieldTree;
}

/** The `managedFields` of all other managers. The cache does not keep `managedFields`, so the object must be from a live get. */
export const othersIn = (live: object | undefined, ours: string): readonly ManagedFields[] => {
  const { metadata: { managedFields = [] } = {} } = (live ?? {}) as {
    readonly metadata?: { readonly managedFields?: readonly ManagedFields[] };
  };
  return managedFields.filter(({ manager }) => manager !== ours);
};

/** The entries of managers that own at least one of the given fields. */
export const holding = (all: readonly ManagedFields[], ways: readonly FieldWay[]): readonly ManagedFields[] =>
  all.filter(({ fieldsV1 }) => ways.some((way) => holdsField(fieldsV1, way)));

/** The names of the managers for a message: quoted, sorted, and without duplicates. */
export const managersIn = (all: readonly ManagedFields[]): readonly string[] =>
  [...new Set(all.map(({ manager = '' }) => `"${manager}"`))].toSorted();
