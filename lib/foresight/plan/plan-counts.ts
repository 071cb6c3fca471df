import { nameInWords, type ObjectName } from '#lib/foresight/cluster/live-object.ts';
import type { ChangePlan } from './plan-change.ts';
import type { PlannedAction, PlannedWrite } from './planned-write.ts';

/** A plan in numbers of objects. */
export interface PlanCounts {
  readonly create: number;
  /** Number of existing objects that change. A change of the status counts only in `status`. */
  readonly change: number;
  readonly delete: number;
  /** Number of resources whose status changes. */
  readonly status: number;
  readonly refused: number;
  /** Number of objects that are in no other count, and that the operator would write without the change, too. */
  readonly alsoWithout: number;
}

const idOf = (object: ObjectName): string => `${object.apiVersion} ${nameInWords(object)}`;

const idsOf = (objects: readonly ObjectName[]): ReadonlySet<string> => new Set(objects.map(idOf));

/**
 * Counts the objects that the operator writes because of the change. An object with several writes counts once: a new object in
 * `create`, even if it changes later. A replacement counts as a deletion, and so does an object that the garbage collector would
 * delete. An object with a refused write counts in `refused`. Unverified writes do not count.
 */
export const planCounts = ({ writes, garbage }: Pick<ChangePlan, 'writes' | 'garbage'>): PlanCounts => {
  const [without = [], caused = []] = [true, undefined].map((mark) =>
    writes.filter(({ alsoWithout, unverified }) => alsoWithout === mark && !unverified),
  );
  const done = caused.filter(({ refused }) => !refused);
  const having = (...actions: readonly PlannedAction[]): readonly PlannedWrite[] =>
    done.filter(({ action }) => actions.includes(action));
  const created = idsOf(having('create'));
  const deleted = idsOf([...having('delete', 'replace'), ...garbage]);
  const counted = new Set([...idsOf(caused), ...deleted]);
  return {
    create: created.size,
    change: idsOf(having('change')).difference(created).difference(deleted).size,
    delete: deleted.size,
    status: idsOf(having('status').map(({ owner }) => owner)).size,
    refused: idsOf(caused.filter(({ refused }) => refused)).size,
    alsoWithout: idsOf(without).difference(counted).size,
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
