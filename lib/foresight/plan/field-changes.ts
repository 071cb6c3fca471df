import { childPath, equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import { HIDDEN, isSecret, LAST_APPLIED, SECRET_MEMBERS, withoutSecretValues } from '#lib/plan/secret.ts';
import { INTENT_HASH } from '#lib/plan/stamp.ts';

/** A field that differs. */
export interface FieldChange {
  /** Such as `spec.containers[name=web].image`; list items by what names them, where something does. */
  readonly path: string;
  /** Absent when the field comes into being. */
  readonly before?: unknown;
  /** Absent when it goes. */
  readonly after?: unknown;
}

/** What tells the items of a list apart, by Kubernetes' conventions. */
const KEYS = ['name', 'type', 'uid', 'containerPort', 'key', 'mountPath', 'ip'] as const;

const keyOf = (items: readonly unknown[]): string | undefined =>
  KEYS.find((key) => {
    if (items.length === 0) return false;
    const values = items.map((item) => (isPlainObject(item) ? item[key] : undefined));
    return (
      values.every((value) => typeof value === 'string' || typeof value === 'number') &&
      new Set(values).size === values.length
    );
  });

interface Both {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const change = ({ path, before, after }: Both): FieldChange => ({
  path,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
});

const ofMembers = (path: string, before: JsonObject, after: JsonObject): FieldChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .toSorted()
    .flatMap((name) => changesAt({ path: childPath(path, name), before: before[name], after: after[name] }));

/** Items are told apart by one key in both lists; an empty list goes along with any. */
const commonKey = (before: readonly unknown[], after: readonly unknown[]): string | undefined => {
  const [old, now] = [keyOf(before), keyOf(after)];
  if (before.length === 0) return now;
  return after.length === 0 || old === now ? old : undefined;
};

const ofLists = (path: string, before: readonly unknown[], after: readonly unknown[]): FieldChange[] => {
  const key = commonKey(before, after);
  if (key === undefined) {
    if (before.length !== after.length) return [change({ path, before, after })];
    return before.flatMap((item, index) => changesAt({ path: `${path}[${index}]`, before: item, after: after[index] }));
  }
  const byKey = (items: readonly unknown[]) => new Map(items.map((item) => [(item as JsonObject)[key], item] as const));
  const [old, now] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((id) =>
    changesAt({ path: `${path}[${key}=${String(id)}]`, before: old.get(id), after: now.get(id) }),
  );
};

/** What comes or goes whole is told member by member, unless it has none. */
const isFull = (value: unknown): boolean =>
  isPlainObject(value)
    ? Object.keys(value).length > 0
    : Array.isArray(value) && value.length > 0 && keyOf(value) !== undefined;

const changesAt = (both: Both): FieldChange[] => {
  const { path } = both;
  if (equalJson(both.before, both.after)) return [];
  const empty = Array.isArray(both.before ?? both.after) ? [] : {};
  const isNew = both.before === undefined && isFull(both.after);
  const isGone = both.after === undefined && isFull(both.before);
  const [before, after] = [isNew ? empty : both.before, isGone ? empty : both.after];
  if (isPlainObject(before) && isPlainObject(after)) return ofMembers(path, before, after);
  if (Array.isArray(before) && Array.isArray(after)) return ofLists(path, before, after);
  return [change(both)];
};

/** What differs between two values, by path. */
export const valueChanges = (before: unknown, after: unknown): readonly FieldChange[] =>
  changesAt({ path: '', before, after });

/** What the server keeps for itself: every write changes it, and nobody wrote it. */
const OWN = new Set(['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp', 'selfLink']);

const withoutBookkeeping = (object: JsonObject): JsonObject => {
  const { metadata, ...rest } = object;
  if (!isPlainObject(metadata)) return object;
  const { annotations, ...others } = metadata;
  const kept = Object.fromEntries(Object.entries(others).filter(([name]) => !OWN.has(name)));
  const told = isPlainObject(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== LAST_APPLIED))
    : {};
  const noted = Object.keys(told).length === 0 ? {} : { annotations: told };
  return { ...rest, metadata: { ...kept, ...noted } };
};

/** An object as a plan shows it: without what the server keeps for itself, and of a Secret without the values. */
export const shownObject = (object: JsonObject): JsonObject => withoutSecretValues(withoutBookkeeping(object));

/** As kubectl diff does: that a value differs is told, not what it is. */
const redactedChange = ({ path, ...values }: FieldChange): FieldChange => ({
  path,
  ...('before' in values && { before: 'after' in values ? '(redacted, before)' : HIDDEN }),
  ...('after' in values && { after: 'before' in values ? '(redacted, after)' : HIDDEN }),
});

/** Its hash tells a weak value to who tries all. */
const INTENT_PATH = childPath('metadata.annotations', INTENT_HASH);

const isSecretPath = (path: string): boolean =>
  path === INTENT_PATH ||
  SECRET_MEMBERS.some((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));

/**
 * What differs between two states of an object, sorted by path, without what the API server keeps for itself. Of a Secret's
 * values only that they differ.
 *
 * @param before - `undefined` when there was none
 * @param after - `undefined` when there is none
 */
export const fieldChanges = (before: JsonObject | undefined, after: JsonObject | undefined): readonly FieldChange[] => {
  const changes = ofMembers('', withoutBookkeeping(before ?? {}), withoutBookkeeping(after ?? {}));
  if (!isSecret(before ?? after ?? {})) return changes;
  return changes.map((one) => (isSecretPath(one.path) ? redactedChange(one) : one));
};
