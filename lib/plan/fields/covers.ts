import { equalJson, isPlainObject } from '#lib/json.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { type FieldTree, isLeaf, OWNER } from './pin.ts';

/** Fields that an apply never owns (apimachinery `managedfields/internal/stripmeta.go`). */
const unowned: Readonly<Record<string, readonly string[]>> = {
  '': ['apiVersion', 'kind'],
  metadata: ['name', 'namespace'],
};

/** The keys of list elements that the API server fills in when they are missing: they are part of the element's identity. */
const defaultedKeys: Readonly<Record<string, unknown>> = { protocol: 'TCP' };

const keyed = (step: string): Readonly<Record<string, unknown>> | undefined =>
  step.startsWith('k:') ? (JSON.parse(step.slice(2)) as Record<string, unknown>) : undefined;

/** True when an element of an intent is the one of a step such as `k:{"name":"main"}`. */
export const isElement = (element: unknown, step: string, owner: string): boolean => {
  const keys = keyed(step);
  if (keys === undefined) return step.startsWith('v:') && step.slice(2) === JSON.stringify(element);
  if (!isPlainObject(element)) return false;
  return Object.entries(keys).every(([name, value]) => {
    const own = element[name] ?? defaultedKeys[name];
    return own === value || (value === OWNER && own === owner);
  });
};

/** Whether a value has all values of an intent. */
const agrees = (wanted: unknown, live: unknown): boolean => {
  if (!isPlainObject(wanted)) return equalJson(wanted, live);
  return isPlainObject(live) && Object.entries(wanted).every(([name, member]) => agrees(member, live[name]));
};

interface Place {
  readonly owner: string;
  /** The live value; undefined where it is not kept. */
  readonly live: unknown;
  /** True when `live` is the whole object: then an empty value must be present, too. */
  readonly isWhole: boolean;
  /** From the root; undefined where nothing is exempt any more. */
  readonly path?: string;
}

/** The steps of a list have the order of its elements; others may be between those of the intent. */
const coversList = (node: FieldTree, list: readonly unknown[], { owner, live, isWhole }: Place): boolean => {
  const steps = Object.keys(node);
  const standing = Array.isArray(live) ? (live as readonly unknown[]) : [];
  let last = -1;
  return list.every((element, index) => {
    const byIndex = node[`i:${index}`];
    if (byIndex) return coversNode(byIndex, element, { owner, live: standing[index], isWhole });
    const matching = steps.filter((step) => isElement(element, step, owner));
    const [step = ''] = matching;
    const place = steps.indexOf(step);
    if (matching.length !== 1 || place <= last) return false;
    last = place;
    const same = standing.find((candidate) => isElement(candidate, step, owner));
    return coversNode(node[step] ?? {}, element, { owner, live: same, isWhole });
  });
};

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/**
 * Whether a value has one owner as a whole. A node also looks like this when another manager has taken over all its members and
 * the node itself is recorded, as for a POST and below `x-kubernetes-preserve-unknown-fields`. Then the values decide.
 */
const coversWhole = (value: unknown, live: unknown): boolean =>
  !isPlainObject(value) || live === undefined || agrees(value, live);

const coversNode = (node: FieldTree, value: unknown, place: Place): boolean => {
  const { live, path, ...always } = place;
  if (isEmpty(value)) return !place.isWhole || live !== undefined;
  if (path === undefined && isLeaf(node)) return coversWhole(value, live);
  if (Array.isArray(value)) return coversList(node, value, place);
  if (!isPlainObject(value)) return false;
  const exempt = path === undefined ? [] : (unowned[path] ?? []);
  const standing = isPlainObject(live) ? live : {};
  return Object.entries(value).every(([name, member]) => {
    if (exempt.includes(name)) return true;
    const child = node[`f:${name}`];
    if (child === undefined) return false;
    const below = path === '' && name in unowned ? { path: name } : {};
    return coversNode(child, member, { ...always, live: standing[name], ...below });
  });
};

/**
 * Whether a manager owns every field of an intent. No schema is needed, because managed fields show whether the server treats a
 * list as elements or as one value.
 *
 * An owned field holds the value that its owner wrote last, apart from changes by admission. Another manager that changes it
 * becomes its owner, and restoring the value does not return the ownership.
 *
 * @param tree - the fields of the manager
 * @param intent - as it is sent
 * @param options - `owner`: the uid of the parent; `live`: the object as far as it is kept; `isWhole`: the object is complete,
 *   so that empty maps and lists of the intent must be present, too
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
