import type { Atom } from './atom.ts';
import { difference, emptySet, type FieldSet, intersection, union } from './field-set.ts';
import type { Managers, Owner } from './managers.ts';
import { remove, withNamedFields } from './remove.ts';
import { toFieldSet } from './to-field-set.ts';

/** The type of a version's objects; undefined for versions that are not served any more. */
export type AtomOf = (apiVersion: string) => Atom | undefined;

interface OwnedItems {
  readonly merged: unknown;
  readonly pruned: unknown;
  readonly owners: Managers;
  readonly first: string;
}

/** Adds back what others own, or the applier's new configuration: version by version, the last applied one first. */
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
    left = remove(atom, merged, difference(mergedSet, union(leftSet, withNamedFields(set, atom))));
  }
  return left;
};

/** A merged object, before what the applier gave up is taken out of it. */
export interface Pruning {
  readonly merged: unknown;
  readonly owners: Managers;
  readonly last: Owner;
  readonly applied: FieldSet;
}

/**
 * Removes what the applier owned and does not mention any more, unless others own it.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 merge/update.go (`prune`)
 */
export const prune = ({ merged, owners, last, applied }: Pruning, atomOf: AtomOf): unknown => {
  const atom = atomOf(last.apiVersion);
  // A configuration that mentions all it did before leaves nothing to remove.
  if (atom === undefined || difference(last.set, applied).length === 0) return merged;
  const lastSet = withNamedFields(last.set, atom);
  const withoutLast = remove(atom, merged, lastSet);
  const withOwned = addBackOwned({ merged, pruned: withoutLast, owners, first: last.apiVersion }, atomOf);
  const mergedSet = withNamedFields(toFieldSet(atom, merged), atom);
  const prunedSet = withNamedFields(toFieldSet(atom, withOwned), atom);
  return remove(atom, merged, intersection(difference(mergedSet, prunedSet), lastSet));
};
