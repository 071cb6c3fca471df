import { shortHash } from '#lib/desired/canonical/canonical.ts';

/**
 * The length of the hash in a child's name `<name>-<hash>`. If `<name>` is a DNS label with at most 63 − 1 − 5 = 57 characters,
 * the name of the child is a DNS label, too.
 */
const SLOT_HASH_LENGTH = 5;

/** The maximum length of the value of a label, in characters. */
const LABEL_VALUE_LENGTH = 63;
const LABEL_HEAD_LENGTH = 52;

/** The maximum number of tried slots for each taken and each new name. Two names collide with a probability of 1 in 14 million. */
const TRIES_PER_SLOT = 4;

/**
 * The name and uid of the resource, or of the parent of an extension, that gets the new children, and the names that are in use.
 */
export interface SlotNameOptions {
  readonly name: string;
  readonly uid: string;
  /** Names of all observed children, including terminating children. */
  readonly taken: ReadonlySet<string>;
}

/**
 * Returns names for new children. The hash in a name is of the uid of the parent and a slot number; the function uses the lowest
 * free slots.
 *
 * The names depend only on the arguments. Therefore a pass that is repeated with the same observation uses the same names, and
 * cannot create a second child. An example is a pass with an outdated cache.
 *
 * @param count - the number of names, an integer ≥ 0
 * @returns `count` distinct names `<name>-<5 characters>`; fewer only if almost all hashes collide
 * @example
 * freeSlots(2, { name: 'web', uid: resource.metadata.uid, taken: new Set() }); // ['web-x7k2p', 'web-9dqzt']
 */
export const freeSlots = (count: number, { name, uid, taken }: SlotNameOptions): string[] => {
  const names = new Set<string>();
  const last = (taken.size + count) * TRIES_PER_SLOT;
  for (let slot = 0; names.size < count && slot < last; slot += 1) {
    const candidate = `${name}-${shortHash([uid, slot], SLOT_HASH_LENGTH)}`;
    if (!taken.has(candidate)) names.add(candidate);
  }
  return [...names];
};

/**
 * Converts a name to a label value. A name of up to 63 characters is unchanged. A longer name is cut to at most 52 characters,
 * followed by `-` and a hash of the full name.
 *
 * @param name - a valid object name
 * @returns a valid label value; distinct for distinct names, apart from collisions of hashes
 */
export const labelValueOf = (name: string): string =>
  name.length <= LABEL_VALUE_LENGTH
    ? name
    : `${name.slice(0, LABEL_HEAD_LENGTH).replace(/[^a-z0-9]+$/, '')}-${shortHash(name, LABEL_VALUE_LENGTH - LABEL_HEAD_LENGTH - 1)}`;

/** Returns true if {@link labelValueOf} may have shortened a longer name to this label value. */
export const mayStandForLonger = (value: string): boolean =>
  value.length > LABEL_HEAD_LENGTH && /[a-z0-9]-[a-z0-9]{10}$/.test(value);

/** The key of the label that the loop sets on the children of all resources of a kind, except for children elsewhere. */
export const ownerLabel = (kind: { readonly group: string; readonly kind: string }): string =>
  `${kind.group}/${kind.kind.toLowerCase()}`;

/**
 * The label that the loop sets on the children of a resource: `<group>/<kind, lower case>: <name>`. {@link labelValueOf} shortens
 * a long name. Children elsewhere do not have this label.
 *
 * @returns a map with this one label, which also works as a selector
 * @example
 * ownerLabels({ group: 'app.example.com', kind: 'PodSet' }, 'web'); // { 'app.example.com/podset': 'web' }
 */
export const ownerLabels = (
  kind: { readonly group: string; readonly kind: string },
  name: string,
): Record<string, string> => ({ [ownerLabel(kind)]: labelValueOf(name) });

/** Formats labels as a selector string, such as `app.example.com/podset=web`. The scale subresource needs this form. */
export const selectorString = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(',');
