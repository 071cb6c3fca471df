import { difference, emptySet, type FieldSet, intersection, union } from './fields/field-set.ts';
import type { Managers, Owner } from './managers.ts';
import type { Atom } from './typed/atom.ts';
import { removeFields, withNamedFields } from './typed/remove.ts';
import { toFieldSet } from './typed/to-field-set.ts';

/** The type of objects in a version; undefined for a version that is no longer served. */
export type AtomOf = (apiVersion: string) => Atom | undefined;

interface OwnedItems {
  readonly merged: unknown;
  readonly pruned: unknown;
  readonly owners: Managers;
  readonly first: string;
}

/**
 * Adds back the pruned fields that another manager owns, or that the new configuration contains. Managers own fields in different
 * versions, so each version is handled separately. The version of the applier's earlier apply comes first.
 */
const addBackOwned = ({ merged, pruned, owners, first }: OwnedItems, atomOf: AtomOf): unknown => {
  const owned = new Map<string, FieldSet>([[first, emptySet]]);
  for (const { apiVersion, set } of owners.values())
    owned.set(apiVersion, union(owned.get(apiVersion) ?? emptySet, set));
  let left = pruned;
  for (const [apiVersion, set] of owned) {
    const atom = atomOf(apiVersion);
    if (atom === undefined) continue;
    const mergedSet = withNamedFields(toFieldSet(atom, merged), atom);
    const leftSet = withNamedFields(toFieldSet(atom, left), atom);
    left = removeFields(atom, merged, difference(mergedSet, union(leftSet, withNamedFields(set, atom))));
  }
  return left;
};

/** An object after the merge, from which pruning removes fields that the applier no longer sets. */
export interface Pruning {
  readonly merged: unknown;
  readonly owners: Managers;
  readonly last: Owner;
  readonly applied: FieldSet;
}

/**
 * Removes fields that the applier owned and that are absent from its new configuration, unless other managers own these fields.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 merge/update.go (`prune`)
 */
export const pruneOwned = ({ merged, owners, last, applied }: Pruning, atomOf: AtomOf): unknown => {
  const atom = atomOf(last.apiVersion);
  // If the new configuration contains all earlier fields of the applier, no field has to be removed.
  if (atom === undefined || difference(last.set, applied).length === 0) return merged;
  const lastSet = withNamedFields(last.set, atom);
  const withoutLast = removeFields(atom, merged, lastSet);
  const withOwned = addBackOwned({ merged, pruned: withoutLast, owners, first: last.apiVersion }, atomOf);
  const mergedSet = withNamedFields(toFieldSet(atom, merged), atom);
  const prunedSet = withNamedFields(toFieldSet(atom, withOwned), atom);
  return removeFields(atom, merged, intersection(difference(mergedSet, prunedSet), lastSet));
};
