import { sortedNames } from '#lib/desired/canonical/sorted-names.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { groupOf, hasDomain, type KubeObject } from '#lib/kind/handles/reference.ts';

/** True for the core group, groups without a dot, and groups below `k8s.io`, such as `networking.k8s.io`. */
export const isBuiltIn = ({ apiVersion = '' }: KubeObject): boolean =>
  !hasDomain(apiVersion) || groupOf(apiVersion).endsWith('.k8s.io');

type Members = Record<string, unknown>;

const setMember = (object: Members, name: string, value: unknown): void => {
  // A plain assignment to `__proto__` would set the prototype of the object.
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true });
  else object[name] = value;
};

const membersBefore = (object: JsonObject, end: string): Members => {
  const before: Members = {};
  for (const name in object) {
    if (name === end) break;
    setMember(before, name, object[name]);
  }
  return before;
};

/**
 * Returns a function that sorts the members of a value, and removes those for which `isAbsent` is true. Frozen canonical parts
 * are not copied, because the children of a resource share most of their parts.
 */
const canonicalWith = (isAbsent: (value: unknown, name: string) => boolean): ((value: unknown) => unknown) => {
  const isOrdered = (value: JsonObject): boolean => {
    let last = '';
    for (const name in value) {
      if (name < last || isAbsent(value[name], name)) return false;
      last = name;
    }
    return true;
  };
  const list = (value: readonly unknown[]): unknown => {
    const elements: unknown[] = value.map(canonical);
    const isCanonical = Object.isFrozen(value) && elements.every((element, index) => element === value[index]);
    return isCanonical ? value : Object.freeze(elements);
  };
  const ordered = (value: JsonObject): unknown => {
    let copy: Members | undefined;
    for (const name in value) {
      const member = canonical(value[name]);
      if (member !== value[name]) copy ??= membersBefore(value, name);
      if (copy) setMember(copy, name, member);
    }
    return copy ? Object.freeze(copy) : value;
  };
  const sorted = (value: JsonObject): unknown => {
    const copy: Members = {};
    for (const name of sortedNames(value))
      if (!isAbsent(value[name], name)) setMember(copy, name, canonical(value[name]));
    return Object.freeze(copy);
  };
  const canonical = (value: unknown): unknown => {
    if (Array.isArray(value)) return list(value);
    if (!isPlainObject(value)) return value;
    return Object.isFrozen(value) && isOrdered(value) ? ordered(value) : sorted(value);
  };
  return canonical;
};

const isNothing = (value: unknown): boolean => value === undefined || value === null;

const withEmptyLists = canonicalWith(isNothing);

/** Maps in built-in kinds that the API server stores only if they are not empty. */
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
 * The canonical form of an intent: members are sorted, and null and undefined members are removed. In built-in kinds, empty
 * lists and some empty maps, such as `labels`, are removed, too. The API server does not store them.
 *
 * In custom resources, empty lists stay, because they can be data, as in the values of a chart. But an empty list of type `set`
 * or `map` has no field owner. The loop cannot detect that such a list is missing. The list can be missing after another client
 * removed it, or after an apply removed its last item. It then stays missing until the child is applied for another reason.
 *
 * @param intent - the intent, which is not changed
 * @returns a frozen object; it shares those parts of the intent that are frozen and canonical already
 */
export const canonicalIntent = (intent: KubeObject): KubeObject =>
  (isBuiltIn(intent) ? withoutEmptyLists : withEmptyLists)(intent) as KubeObject;

/**
 * Returns an object with sorted members at all levels, and without null and undefined members. `JSON.stringify` of the result is
 * a canonical text.
 */
export const sortedPart = <P extends object>(part: P): P => withEmptyLists(part) as P;
