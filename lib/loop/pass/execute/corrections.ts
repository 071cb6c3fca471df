import { type FieldWay, holdsField } from '#lib/plan/fields/lost-fields.ts';
import type { FieldTree } from '#lib/plan/fields/pin.ts';

/** Corrections in a row that are no conflict: a person edits, a tool is rolled out. */
const BURST = 5;

/** The time after which one correction is forgotten, in milliseconds. */
const FORGET_MS = 60_000;

/** How often something that another writer changes was corrected lately, and until when it is left alone. */
export interface Corrections {
  /** Corrections of late; they are forgotten one after the other. */
  readonly level: number;
  /** Since when they are forgotten, in epoch milliseconds. */
  readonly at: number;
  /** How often in a row it was left alone. */
  readonly rounds: number;
  /** Until when it is left alone, in epoch milliseconds; absent while it is corrected. */
  readonly notBefore?: number;
}

const NONE: Corrections = { level: 0, at: 0, rounds: 0 };

/** Corrections and the moment. */
export interface CorrectionMoment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Corrections in a row that are no conflict. @default 5 */
  readonly burst?: number;
}

/**
 * Decides whether to correct the change of another writer again. After some consecutive corrections there is a pause; then a
 * single correction shows whether the conflict is over.
 *
 * @returns the milliseconds to wait; `leave` when the caller has to remember {@link leftAlone}; else the memory of the correction
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

/** The corrections of a field or status that is left alone for a growing time. */
export const leftAlone = (
  { rounds: before }: Corrections = NONE,
  { now, waitMs }: { readonly now: number; readonly waitMs: (rounds: number) => number },
): Corrections & { readonly notBefore: number } => {
  const rounds = before + 1;
  const notBefore = now + waitMs(rounds);
  return { level: BURST, at: notBefore, rounds, notBefore };
};

/** The fields of one manager, as the API server writes them down. */
export interface ManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
  readonly fieldsV1?: FieldTree;
}

/** The fields of all managers but ours; from the live object, because the cache does not keep them. */
export const othersIn = (live: object | undefined, ours: string): readonly ManagedFields[] => {
  const { metadata: { managedFields = [] } = {} } = (live ?? {}) as {
    readonly metadata?: { readonly managedFields?: readonly ManagedFields[] };
  };
  return managedFields.filter(({ manager }) => manager !== ours);
};

/** The managers that own one of some fields. */
export const holding = (all: readonly ManagedFields[], ways: readonly FieldWay[]): readonly ManagedFields[] =>
  all.filter(({ fieldsV1 }) => ways.some((way) => holdsField(fieldsV1, way)));

/** The managers, each once, as a message names them. */
export const managersIn = (all: readonly ManagedFields[]): readonly string[] =>
  [...new Set(all.map(({ manager = '' }) => `"${manager}"`))].toSorted();
