import { isPlainObject } from '#lib/kind/json.ts';
import type { KubeObject } from '#lib/kind/reference.ts';
import { type FieldTree, OWNER } from './pin.ts';

/** What apply never counts as owned (apimachinery `managedfields/internal/stripmeta.go`). */
const unowned: Readonly<Record<string, readonly string[]>> = {
  '': ['apiVersion', 'kind'],
  metadata: ['name', 'namespace'],
};

const isLeaf = (node: FieldTree): boolean => Object.keys(node).every((step) => step === '.');

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

const coversList = (node: FieldTree, list: readonly unknown[], owner: string): boolean =>
  list.every((element, index) => {
    const byIndex = node[`i:${index}`];
    if (byIndex) return coversNode(byIndex, element, { owner, path: undefined });
    const matching = Object.keys(node).filter((step) => isElement(element, step, owner));
    const [step = ''] = matching;
    return matching.length === 1 && coversNode(node[step] ?? {}, element, { owner, path: undefined });
  });

interface Place {
  readonly owner: string;
  /** From the root; undefined where nothing is exempt any more. */
  readonly path: string | undefined;
}

const coversNode = (node: FieldTree, value: unknown, { owner, path }: Place): boolean => {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  if (isEmpty || (path === undefined && isLeaf(node))) return true;
  if (Array.isArray(value)) return isLeaf(node) || coversList(node, value, owner);
  if (!isPlainObject(value)) return isLeaf(node);
  const exempt = path === undefined ? [] : (unowned[path] ?? []);
  const below = (name: string): string | undefined => (path === '' && name in unowned ? name : undefined);
  return Object.entries(value).every(([name, member]) => {
    // An empty list of elements is owned by nobody, so there is nothing to cover.
    if (exempt.includes(name) || (Array.isArray(member) && member.length === 0)) return true;
    const child = node[`f:${name}`];
    return child !== undefined && coversNode(child, member, { owner, path: below(name) });
  });
};

/**
 * True when a manager owns every field of an intent. No schema is needed: the server wrote down itself what is a list of
 * elements and what is one value.
 *
 * A field that is owned holds what its owner last wrote, apart from what admission made of it: whoever changes it owns it
 * from then on, and does not give it back by restoring the value.
 *
 * @param tree - what the manager owns
 * @param intent - as it is sent
 * @param owner - the uid of the parent
 * @see https://github.com/kubernetes-sigs/structured-merge-diff/blob/v6.3.0/merge/update.go
 */
export const covers = (tree: FieldTree, intent: KubeObject, owner: string): boolean =>
  coversNode(tree, intent, { owner, path: '' });
