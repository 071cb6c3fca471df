import { shortHash } from '#lib/desired/canonical/canonical.ts';

/** Length of the hash in a slot's name: `<name>-<hash>`. A parent's name may have 63 − 1 − 5 = 57 characters then, so that the child's name is a DNS label. */
const SLOT_HASH_LENGTH = 5;

/** The longest value of a label, in characters. */
const LABEL_VALUE_LENGTH = 63;
const LABEL_HEAD_LENGTH = 52;

/** The maximum number of candidates per name; a collision has a probability of one in 14 million. */
const TRIES_PER_SLOT = 4;

/** The parent, and the names in use. */
export interface SlotNameOptions {
  readonly name: string;
  readonly uid: string;
  /** Names of all observed children, terminating ones included. */
  readonly taken: ReadonlySet<string>;
}

/**
 * Names for new children of a set, from the lowest free slots.
 *
 * The names depend only on the parent and on the observed children. A pass that is repeated after a crash, or with an outdated
 * cache, returns the same names, so that a create is repeated but makes no second child.
 *
 * @param count - the number of names, an integer ≥ 0
 * @returns distinct names `<name>-<5 characters>`
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
 * A name as a label value: unchanged up to 63 characters; a longer one is cut to 52, followed by `-` and a hash of the whole.
 *
 * @param name - a valid object name
 * @returns a valid label value, distinct for distinct names
 */
export const labelValueOf = (name: string): string =>
  name.length <= LABEL_VALUE_LENGTH
    ? name
    : `${name.slice(0, LABEL_HEAD_LENGTH).replace(/[^a-z0-9]+$/, '')}-${shortHash(name, LABEL_VALUE_LENGTH - LABEL_HEAD_LENGTH - 1)}`;

/** Whether {@link labelValueOf} may have made a label value from a longer name. */
export const mayStandForLonger = (value: string): boolean =>
  value.length > LABEL_HEAD_LENGTH && /[a-z0-9]-[a-z0-9]{10}$/.test(value);

/** The key of the label that every child of a resource of a kind carries. */
export const ownerLabel = (kind: { readonly group: string; readonly kind: string }): string =>
  `${kind.group}/${kind.kind.toLowerCase()}`;

/**
 * The label of every child of a resource: `<group>/<kind, lower case>: <name>`.
 *
 * @returns the one label, also fit as a selector
 * @example
 * ownerLabels({ group: 'app.example.com', kind: 'PodSet' }, 'web'); // { 'app.example.com/podset': 'web' }
 */
export const ownerLabels = (
  kind: { readonly group: string; readonly kind: string },
  name: string,
): Record<string, string> => ({ [ownerLabel(kind)]: labelValueOf(name) });

/** Labels as a selector string, such as `app.example.com/podset=web`: the form of the scale subresource. */
export const selectorString = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(',');
