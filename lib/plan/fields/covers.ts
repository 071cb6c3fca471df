import { equalJson, isPlainObject } from '#lib/json.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { ElementSteps } from './elements.ts';
import { type FieldTree, isLeaf } from './pin.ts';

/** Fields that an apply never owns (apimachinery `managedfields/internal/stripmeta.go`). */
const unowned: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ['', ['apiVersion', 'kind']],
  ['metadata', ['name', 'namespace']],
]);

/**
 * A member of an observed object; undefined for an accessor. In a simulation, the read of an accessor throws, because the cache of
 * a loop would not have the member (`declaredView`).
 */
export const shownMember = (object: object, name: string): unknown =>
  Object.prototype.propertyIsEnumerable.call(object, name) ? (object as Record<string, unknown>)[name] : undefined;

const agrees = (wanted: unknown, live: unknown): boolean => {
  if (!isPlainObject(wanted)) return equalJson(wanted, live);
  return (
    isPlainObject(live) && Object.entries(wanted).every(([name, member]) => agrees(member, shownMember(live, name)))
  );
};

interface Place {
  readonly owner: string;
  /** The live value; undefined if it is absent, or the cache does not keep it. */
  readonly live: unknown;
  /**
   * True if all fields of the object are known, not only those that the cache keeps. Then empty values of the intent must be
   * present, too.
   */
  readonly isWhole: boolean;
  /** The key of the value in {@link unowned}: empty for the root, `metadata` for the metadata, otherwise undefined. */
  readonly path?: string;
}

/**
 * Whether a manager owns every element of a list, and has the elements in the same order. The entries of a list in managed
 * fields have the order of its elements. Elements of other managers may be between those of the intent.
 */
const coversList = (node: FieldTree, list: readonly unknown[], { owner, live, isWhole }: Place): boolean => {
  const steps = new ElementSteps(node);
  const standing = Array.isArray(live) ? (live as readonly unknown[]) : [];
  const places = steps.placesIn(standing, owner);
  let last = -1;
  return list.every((element, index) => {
    const byIndex = node[`i:${index}`];
    if (byIndex) return coversNode(byIndex, element, { owner, live: standing[index], isWhole });
    const [match, ...others] = steps.of(element, owner);
    if (match === undefined || others.length > 0 || match.rank <= last) return false;
    last = match.rank;
    const { step } = match;
    return coversNode(node[step] ?? {}, element, { owner, live: standing[places.get(step) ?? -1], isWhole });
  });
};

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/**
 * Whether a manager owns a value, if the node of the value in the fields of the manager has no members. For a scalar or a list,
 * the node is sufficient. For a map, the node also remains when another manager has taken over all members. Examples are maps
 * after a POST, and below `x-kubernetes-preserve-unknown-fields`. The function therefore compares the values of a map, if the
 * cache keeps them.
 */
const coversWhole = (value: unknown, live: unknown): boolean =>
  !isPlainObject(value) || live === undefined || agrees(value, live);

const coversNode = (node: FieldTree, value: unknown, place: Place): boolean => {
  const { live, path, ...always } = place;
  if (isEmpty(value)) return !place.isWhole || live !== undefined;
  if (path === undefined && isLeaf(node)) return coversWhole(value, live);
  if (Array.isArray(value)) return coversList(node, value, place);
  if (!isPlainObject(value)) return false;
  const exempt = unowned.get(path);
  const standing = isPlainObject(live) ? live : {};
  return Object.entries(value).every(([name, member]) => {
    if (exempt?.includes(name)) return true;
    const child = node[`f:${name}`];
    if (child === undefined) return false;
    const below = path === '' && unowned.has(name) ? { path: name } : {};
    return coversNode(child, member, { ...always, live: shownMember(standing, name), ...below });
  });
};

/**
 * Whether a manager owns every field of an intent that an apply can own. No schema is needed, because managed fields show whether
 * the server treats a list as elements or as one value.
 *
 * An owned field has the value that its owner wrote last, apart from changes by admission. Another manager that changes the field
 * becomes its owner, and restoring the value does not return the ownership.
 *
 * @param tree - the fields of the manager
 * @param intent - the intent in the form in which it is sent
 * @param options - `owner`: the uid of the parent; `live`: the kept part of the object; `isWhole`: whether the object is
 *   complete, so that empty maps and lists of the intent must be present, too
 * @see https://github.com/kubernetes-sigs/structured-merge-diff/blob/v6.3.0/merge/update.go
 */
export const covers = (
  tree: FieldTree,
  intent: KubeObject,
  {
    owner,
    live,
    isWhole = false,
  }: { readonly owner: string; readonly live: Readonly<KubeObject>; readonly isWhole?: boolean },
): boolean => coversNode(tree, intent, { owner, live, isWhole, path: '' });
