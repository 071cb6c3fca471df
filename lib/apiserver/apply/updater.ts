import { equalJson } from '#lib/json.ts';
import type { Atom } from './atom.ts';
import { type Comparison, compare } from './compare.ts';
import { conflictError } from './conflict.ts';
import {
  difference,
  emptySet,
  equalSets,
  type FieldSet,
  intersection,
  recursiveDifference,
  union,
} from './field-set.ts';
import { type Managers, type Owner, withSet } from './managers.ts';
import { merge } from './merge.ts';
import { type AtomOf, prune } from './prune.ts';
import { reconcile } from './reconcile.ts';
import { toFieldSet } from './to-field-set.ts';

/** The versions in which an object's fields may be owned. */
export interface Versions {
  readonly apiVersion: string;
  readonly atomOf: AtomOf;
  /** Fields that this writer does not own, whatever it sends, and that it takes from nobody who owns them in a version. */
  readonly resetFieldsOf: (apiVersion: string) => FieldSet;
}

interface Change {
  readonly live: unknown;
  readonly next: unknown;
  readonly managers: Managers;
  readonly self: string;
  /** Fields that may be taken from others without force. */
  readonly allowed?: FieldSet | undefined;
}

interface Outcome {
  readonly managers: Map<string, Owner>;
  readonly comparison: Comparison;
}

const unchanged: Comparison = { removed: emptySet, modified: emptySet, added: emptySet };

/**
 * Compares the objects once for each version that a manager has. Conversion changes nothing but `apiVersion`, which
 * nobody owns, so only the types differ.
 */
const comparer = (
  { live, next }: Pick<Change, 'live' | 'next'>,
  { atomOf, resetFieldsOf }: Versions,
): ((apiVersion: string) => Comparison | undefined) => {
  const known = new Map<string, Comparison>();
  const compareIn = (atom: Atom, apiVersion: string): Comparison => {
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

const takeFrom = ({ set }: Owner, { removed, modified, added }: Comparison): FieldSet =>
  difference(difference(difference(set, modified), added), removed);

/** The fields of each other manager that the change writes differently. */
const conflictsOf = (
  { managers, self, allowed = emptySet }: Change,
  comparisonOf: (apiVersion: string) => Comparison | undefined,
): (readonly [Owner, FieldSet])[] =>
  [...managers.values()].flatMap((owner) => {
    const comparison = owner.id === self ? undefined : comparisonOf(owner.apiVersion);
    if (comparison === undefined) return [];
    const conflict = difference(intersection(owner.set, union(comparison.modified, comparison.added)), allowed);
    return conflict.length === 0 ? [] : [[owner, conflict] as const];
  });

/** Takes from other managers what the change writes or removes; throws when that is not forced. */
const takeOver = (change: Change, versions: Versions, force: boolean): Outcome => {
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
    if (atom !== undefined) reconciled.set(owner.id, withSet(owner, reconcile(atom, owner.set)));
  }
  return reconciled;
};

/** What an update leaves to other managers, and what it changed itself. */
export interface Updated {
  readonly managers: Map<string, Owner>;
  readonly changed: FieldSet;
}

/**
 * Computes owners after a create, an update or a patch. No owner of `managers` may be the writer.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 merge/update.go (`Update`)
 */
export const update = (change: Omit<Change, 'self'>, versions: Versions): Updated => {
  const managers = reconcileManagers(change.managers, versions);
  const outcome = takeOver({ ...change, managers, self: '' }, versions, true);
  const { modified, added } = outcome.comparison;
  return { managers: outcome.managers, changed: union(modified, added) };
};

/** What an applier sends. */
export interface Application {
  readonly live: unknown;
  readonly config: unknown;
  readonly managers: Managers;
  /** The applier, with what it owned before, if anything. */
  readonly applier: Owner;
  readonly force: boolean;
  /** Fields that may be taken from others without force. @default none */
  readonly allowed?: FieldSet | undefined;
}

/** An object after an apply: `live` itself when it has not changed. */
export interface Applied {
  readonly object: unknown;
  readonly managers: Map<string, Owner>;
}

/**
 * Merges a configuration into a live object and computes the owners.
 *
 * @throws {StatusError} 409 when other managers own what it changes, unless forced
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 merge/update.go (`Apply`)
 */
export const apply = (application: Application, versions: Versions): Applied => {
  const { live, config, managers, applier, force, allowed } = application;
  const { apiVersion, atomOf, resetFieldsOf } = versions;
  const atom = atomOf(apiVersion) ?? {};
  const owners = new Map(reconcileManagers(managers, versions));
  const last = owners.get(applier.id);
  const mentioned = recursiveDifference(toFieldSet(atom, config), resetFieldsOf(apiVersion));
  const set = last !== undefined && equalSets(mentioned, last.set) ? last.set : mentioned;
  owners.set(applier.id, last?.apiVersion === apiVersion ? withSet(last, set) : withSet(applier, set, last?.time));
  const merged = merge(atom, live, config);
  const pruned = last === undefined ? merged : prune({ merged, owners, last, applied: set }, atomOf);
  const next = equalJson(live, pruned) ? live : pruned;
  const outcome = takeOver({ live, next, managers: owners, self: applier.id, allowed }, versions, force);
  return { object: next, managers: outcome.managers };
};
