/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A JSON object with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a plain object, and not null, an array, or an instance of a class. */
export const isPlainObject = (value: unknown): value is JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The Object.prototype of another realm, such as a node:vm context, has no prototype either.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** The value of an own member of an object; undefined if there is none. Inherited members, such as `constructor`, are ignored. */
export const memberOf = <V>(object: Readonly<Record<string, V>> | undefined, name: string): V | undefined =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;

/** Sets a member of an object. A member with the name `__proto__` is set like any other, and does not change the prototype. */
export const setOwn = (object: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else object[name] = value;
};

/** The names and values of the members of an object. As in `JSON.stringify`, members with the value undefined count as absent. */
export const membersOf = (object: JsonObject): [name: string, value: unknown][] =>
  Object.entries(object).filter(([, value]) => value !== undefined);

/** Whether a value consists of JSON values only. Members with the value undefined are ignored. */
export const isJson = (value: unknown): value is Json => {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isPlainObject(value) && membersOf(value).every(([, member]) => isJson(member));
};

/** A deep copy without members that are undefined. */
export const copyJson = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(membersOf(value).map(([name, member]) => [name, copyJson(member as Json)]));
};

/** Converts a JSON value to text with sorted member names, so that equal values give equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isPlainObject(member)
      ? Object.fromEntries(membersOf(member).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))))
      : member,
  ) ?? 'undefined';

const isLiteral = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

const equalItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, index) => equalJson(item, b[index]));

const equalMembers = (a: JsonObject, b: JsonObject): boolean => {
  const names = Object.keys(a);
  let count = 0;
  for (const name of names) {
    const member = a[name];
    if (member === undefined) continue;
    if (!Object.hasOwn(b, name) || !equalJson(member, b[name])) return false;
    count += 1;
  }
  const others = Object.keys(b);
  if (others.length === count) return true;
  return others.filter((name) => b[name] !== undefined).length === count;
};

/**
 * Whether two JSON values are equal. The order of members does not matter, and members that are undefined count as absent. Parts
 * that are the same JavaScript object in both values are not compared.
 */
export const equalJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalItems(a, b);
  // `b` is a list, or one of the values is not an object literal of this realm.
  if (!isLiteral(a) || !isLiteral(b)) return canonicalJson(a) === canonicalJson(b);
  return equalMembers(a as JsonObject, b as JsonObject);
};

/**
 * Appends the name of a member to a JSON path: `spec` and `replicas` give `spec.replicas`. Names with other characters are in
 * brackets: `labels["a/b"]`.
 */
export const childPath = (path: string, name: string): string => {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
};

/** The JSON value of a text; `undefined` if the text is not valid JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
