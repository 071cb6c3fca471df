import { equalJson } from '#lib/json.ts';
import { conflictError } from './conflict.ts';
import {
  difference,
  emptySet,
  equalSets,
  type FieldSet,
  intersection,
  recursiveDifference,
  union,
} from './fields/field-set.ts';
import { type Managers, type Owner, withSet } from './managers.ts';
import { type AtomOf, pruneOwned } from './prune.ts';
import type { Atom } from './typed/atom.ts';
import { compare, type FieldComparison } from './typed/compare.ts';
import { mergeValues } from './typed/merge.ts';
import { reconcileFieldSet } from './typed/reconcile.ts';
import { toFieldSet } from './typed/to-field-set.ts';

/** The types and the reset fields of the versions in which managers may own fields of an object. */
export interface Versions {
  readonly apiVersion: string;
  readonly atomOf: AtomOf;
  /**
   * Returns the fields that the writer does not own in a version, even if the request contains them. Other managers keep these
   * fields.
   */
  readonly resetFieldsOf: (apiVersion: string) => FieldSet;
}

interface FieldChange {
  readonly live: unknown;
  readonly next: unknown;
  readonly managers: Managers;
  readonly self: string;
  /** Fields that may be taken from other managers without force. */
  readonly allowed?: FieldSet | undefined;
}

interface Outcome {
  readonly managers: Map<string, Owner>;
  readonly comparison: FieldComparison;
}

const unchanged: FieldComparison = { removed: emptySet, modified: emptySet, added: emptySet };

/**
 * Compares the objects once for each version in which a manager owns fields. The comparisons differ in the types and in the
 * reset fields. The values are the same, because a conversion changes only `apiVersion`, which never has an owner.
 */
const comparer = (
  { live, next }: Pick<FieldChange, 'live' | 'next'>,
  { atomOf, resetFieldsOf }: Versions,
): ((apiVersion: string) => FieldComparison | undefined) => {
  const known = new Map<string, FieldComparison>();
  const compareIn = (atom: Atom, apiVersion: string): FieldComparison => {
    const comparison = compare(atom, live, next);
    const resetFields = resetFieldsOf(apiVersion);
    return {
      removed: recursiveDifference(comparison.removed, resetFields),
      modified: recursiveDifference(comparison.modified, resetFields),
      added: recursiveDifference(comparison.added, resetFields),
    };
  };
  return (apiVersion) => {
    if (live === next) return unchanged;
    const atom = atomOf(apiVersion);
    if (atom === undefined) return undefined;
    const comparison = known.get(apiVersion) ?? compareIn(atom, apiVersion);
    known.set(apiVersion, comparison);
    return comparison;
  };
};

const takeFrom = ({ set }: Owner, { removed, modified, added }: FieldComparison): FieldSet =>
  difference(difference(difference(set, modified), added), removed);

/** Returns the other managers that own changed fields outside of `allowed`, each with these fields. */
const conflictsOf = (
  { managers, self, allowed = emptySet }: FieldChange,
  comparisonOf: (apiVersion: string) => FieldComparison | undefined,
): (readonly [Owner, FieldSet])[] =>
  [...managers.values()].flatMap((owner) => {
    const comparison = owner.id === self ? undefined : comparisonOf(owner.apiVersion);
    if (comparison === undefined) return [];
    const conflict = difference(intersection(owner.set, union(comparison.modified, comparison.added)), allowed);
    return conflict.length === 0 ? [] : [[owner, conflict] as const];
  });

/**
 * Removes changed and deleted fields from other managers. Without `force`, throws if another manager owns a changed field outside
 * of `allowed`.
 */
const takeOver = (change: FieldChange, versions: Versions, force: boolean): Outcome => {
  const comparisonOf = comparer(change, versions);
  if (!force) {
    const conflicts = conflictsOf(change, comparisonOf);
    if (conflicts.length > 0) throw conflictError(conflicts);
  }
  const managers = new Map<string, Owner>();
  for (const owner of change.managers.values()) {
    const comparison = owner.id === change.self ? unchanged : comparisonOf(owner.apiVersion);
    const left = comparison && withSet(owner, takeFrom(owner, comparison));
    if (left !== undefined && left.set.length > 0) managers.set(left.id, left);
  }
  return { managers, comparison: comparisonOf(versions.apiVersion) ?? unchanged };
};

const reconcileManagers = (managers: Managers, { atomOf }: Versions): Managers => {
  const reconciled = new Map<string, Owner>();
  for (const owner of managers.values()) {
    const atom = atomOf(owner.apiVersion);
    if (atom !== undefined) reconciled.set(owner.id, withSet(owner, reconcileFieldSet(atom, owner.set)));
  }
  return reconciled;
};

/** The managers after an update, and the fields that the update changed. */
export interface Updated {
  readonly managers: Map<string, Owner>;
  readonly changed: FieldSet;
}

/**
 * Removes changed and deleted fields from all managers, after a create, an update or a patch. The caller adds the changed fields
 * to the writer.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 merge/update.go (`Update`)
 */
export const update = (change: Omit<FieldChange, 'self'>, versions: Versions): Updated => {
  const managers = reconcileManagers(change.managers, versions);
  const outcome = takeOver({ ...change, managers, self: '' }, versions, true);
  const { modified, added } = outcome.comparison;
  return { managers: outcome.managers, changed: union(modified, added) };
};

/** The input of {@link applyFields}. */
export interface Application {
  readonly live: unknown;
  readonly config: unknown;
  readonly managers: Managers;
  /** The applier without fields. Its earlier fields are in `managers`. */
  readonly applier: Owner;
  readonly force: boolean;
  /** Fields that may be taken from other managers without force. @default none */
  readonly allowed?: FieldSet | undefined;
}

/** The result of an apply. `object` is the live object itself if nothing changed. */
export interface Applied {
  readonly object: unknown;
  readonly managers: Map<string, Owner>;
}

/**
 * Merges a configuration into a live object and computes the managers.
 *
 * @throws {StatusError} 409 when another manager owns a changed field outside of `allowed`, and the apply is not forced
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 merge/update.go (`Apply`)
 */
export const applyFields = (application: Application, versions: Versions): Applied => {
  const { live, config, managers, applier, force, allowed } = application;
  const { apiVersion, atomOf, resetFieldsOf } = versions;
  const atom = atomOf(apiVersion) ?? {};
  const owners = new Map(reconcileManagers(managers, versions));
  const last = owners.get(applier.id);
  const mentioned = recursiveDifference(toFieldSet(atom, config), resetFieldsOf(apiVersion));
  const set = last !== undefined && equalSets(mentioned, last.set) ? last.set : mentioned;
  owners.set(applier.id, last?.apiVersion === apiVersion ? withSet(last, set) : withSet(applier, set, last?.time));
  const merged = mergeValues(atom, live, config);
  const pruned = last === undefined ? merged : pruneOwned({ merged, owners, last, applied: set }, atomOf);
  const next = equalJson(live, pruned) ? live : pruned;
  const outcome = takeOver({ live, next, managers: owners, self: applier.id, allowed }, versions, force);
  return { object: next, managers: outcome.managers };
};
