import { isPlainObject } from '#lib/json.ts';
import { groupOf, type KubeObject } from '#lib/kind/handles/reference.ts';

/** Kinds of Kubernetes itself: the core group, groups without a domain, and those below `k8s.io`. */
export const isBuiltIn = ({ apiVersion = '' }: KubeObject): boolean => {
  const group = groupOf(apiVersion);
  return !group.includes('.') || group.endsWith('.k8s.io');
};

/** Code-unit order, so that the result does not depend on the machine's locale. */
const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

type Members = readonly (readonly [name: string, value: unknown])[];

/** Whether members are the same, in the same order. */
const areSame = (before: Members, after: Members): boolean =>
  before.length === after.length &&
  before.every(([name, value], index) => name === after[index]?.[0] && value === after[index][1]);

/** Canonical parts are not copied: the children of a resource share most of their parts. */
const canonicalWith = (isAbsent: (value: unknown, name: string) => boolean): ((value: unknown) => unknown) => {
  const canonical = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const elements: unknown[] = value.map(canonical);
      const isCanonical = Object.isFrozen(value) && elements.every((element, index) => element === value[index]);
      return isCanonical ? value : Object.freeze(elements);
    }
    if (!isPlainObject(value)) return value;
    const before = Object.entries(value);
    const members = before
      .filter(([name, member]) => !isAbsent(member, name))
      .toSorted(byName)
      .map(([name, member]) => [name, canonical(member)] as const);
    return Object.isFrozen(value) && areSame(before, members) ? value : Object.freeze(Object.fromEntries(members));
  };
  return canonical;
};

const isNothing = (value: unknown): boolean => value === undefined || value === null;

const withEmptyLists = canonicalWith(isNothing);

/** Maps of Kubernetes itself that the server stores only when there is something in them. */
const maps = new Set([
  'annotations',
  'binaryData',
  'data',
  'labels',
  'limits',
  'matchLabels',
  'nodeSelector',
  'requests',
  'stringData',
]);

const isStored = (value: unknown, name: string): boolean => {
  if (isNothing(value)) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !maps.has(name) || !isPlainObject(value) || Object.keys(value).length > 0;
};

const withoutEmptyLists = canonicalWith((value, name) => !isStored(value, name));

/**
 * The canonical form of an intent: members are sorted, and null and undefined members removed; in built-in kinds of Kubernetes,
 * empty lists, maps and the like are removed, because the server drops them as well.
 *
 * In custom resources empty lists stay, because they can be data, as in the values of a chart. But where the schema declares a
 * list of elements (list type `set` or `map`), an empty list has no owner: when another client removes it, or an apply empties
 * it, it stays absent until the child is applied for another reason.
 *
 * @param intent - not changed
 * @returns frozen; it shares those parts of the intent that are frozen and in this form
 */
export const canonicalIntent = (intent: KubeObject): KubeObject =>
  (isBuiltIn(intent) ? withoutEmptyLists : withEmptyLists)(intent) as KubeObject;
