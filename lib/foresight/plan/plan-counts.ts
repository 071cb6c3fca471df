import { nameInWords } from '#lib/foresight/cluster/live-object.ts';
import type { ChangePlan } from './plan-change.ts';
import type { PlannedAction } from './planned-write.ts';

/** A plan in numbers. */
export interface PlanCounts {
  readonly create: number;
  readonly change: number;
  readonly delete: number;
  /** Number of resources whose status changes. */
  readonly status: number;
  readonly refused: number;
}

/**
 * Counts the writes of a plan. A replacement counts as a deletion, and so does an object that the garbage collector would delete.
 * Refused writes count only in `refused`. Unverified writes do not count.
 */
export const planCounts = ({ writes, garbage }: ChangePlan): PlanCounts => {
  const real = writes.filter(({ refused, unverified }) => !refused && !unverified);
  const count = (...actions: readonly PlannedAction[]): number =>
    real.filter(({ action }) => actions.includes(action)).length;
  return {
    create: count('create'),
    change: count('change'),
    delete: count('delete', 'replace') + garbage.length,
    status: new Set(real.filter(({ action }) => action === 'status').map(({ owner }) => nameInWords(owner))).size,
    refused: writes.filter(({ refused }) => refused).length,
  };
};

/**
 * Whether a plan has any effect: on a changed object, by a write, or by the garbage collector. Unverified writes, and writes that
 * would happen without the change, do not count.
 */
export const planHasChanges = ({ changes, writes, garbage }: ChangePlan): boolean =>
  changes.some(({ outcome }) => outcome !== 'unchanged') ||
  writes.some(({ unverified, alsoWithout }) => !unverified && !alsoWithout) ||
  garbage.length > 0;
