import { hash } from 'node:crypto';
import { type FieldSet, type FieldTree, OWNER } from '#lib/plan/pin.ts';

/** By what they consist of; what nobody holds any more goes. */
const known = new Map<string, WeakRef<FieldSet>>();

const leftovers = new FinalizationRegistry<string>((text) => {
  if (known.get(text)?.deref() === undefined) known.delete(text);
});

/** The uid of the controller as a key of an owner reference, within JSON within JSON. */
const ownerKey = (uid: string): string => JSON.stringify(JSON.stringify({ uid }).slice(1, -1)).slice(1, -1);

/**
 * FieldsV1 without the uid of the controller, which is a key in the list of owner references: otherwise no two parents' children
 * would be owned alike.
 *
 * @param text - as JSON
 */
export const withoutOwner = (text: string, owner: string): string => text.replaceAll(ownerKey(owner), ownerKey(OWNER));

/**
 * The set of these fields: one object for all equal ones, as most children of a kind are owned alike.
 *
 * @param tree - FieldsV1, {@link withoutOwner}
 */
export const internFieldSet = (tree: FieldTree): FieldSet => {
  const text = JSON.stringify(tree);
  const same = known.get(text)?.deref();
  if (same) return same;
  const set: FieldSet = { id: hash('sha1', text, 'base64url'), tree };
  known.set(text, new WeakRef(set));
  leftovers.register(set, text);
  return set;
};
