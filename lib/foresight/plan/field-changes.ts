import { INTENT_MARK } from '#lib/desired/marks/marks.ts';
import { childPath, equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';
import { HIDDEN, LAST_APPLIED, SECRET_MEMBERS, withoutSecretValues } from '#lib/plan/secret.ts';

/** A field whose value differs between two states of an object. */
export interface FieldChange {
  /** Path, such as `spec.containers[name=web].image`. A key field identifies a list item, if the items have one. */
  readonly path: string;
  /** The old value; absent for a new field. */
  readonly before?: unknown;
  /** The new value; absent for a removed field. */
  readonly after?: unknown;
}

/** Key fields of list items, by the conventions of Kubernetes. */
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

/** The key field that identifies the items of both lists. If one list is empty, the key field of the other list. */
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

/** Whether an added or removed value is reported member by member, and not as one change. */
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

/** Lists the differences between two values, by path. */
export const valueChanges = (before: unknown, after: unknown): readonly FieldChange[] =>
  changesAt({ path: '', before, after });

/** Metadata that the server sets. */
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

/** An object as a plan shows it: without the metadata that the server sets, the last applied manifest, and values of Secrets. */
export const shownObject = (object: JsonObject): JsonObject => withoutSecretValues(withoutBookkeeping(object));

/** A change of a secret value, with placeholders in place of the values, as `kubectl diff` prints it. */
const redactedChange = ({ path, ...values }: FieldChange): FieldChange => ({
  path,
  ...('before' in values && { before: 'after' in values ? '(redacted, before)' : HIDDEN }),
  ...('after' in values && { after: 'before' in values ? '(redacted, after)' : HIDDEN }),
});

/**
 * The annotation with a hash of the intent. A plan hides the hash of a Secret, because a weak value can be guessed from its hash.
 */
const INTENT_PATH = childPath('metadata.annotations', INTENT_MARK);

const isSecretPath = (path: string): boolean =>
  path === INTENT_PATH ||
  SECRET_MEMBERS.some((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));

/**
 * Lists the differences between two states of an object. The list leaves out the metadata that the server sets and the annotation
 * of `kubectl apply`, and hides the values of Secrets.
 *
 * @param before - `undefined` for a new object
 * @param after - `undefined` for a deleted object
 */
export const fieldChanges = (before: JsonObject | undefined, after: JsonObject | undefined): readonly FieldChange[] => {
  const changes = ofMembers('', withoutBookkeeping(before ?? {}), withoutBookkeeping(after ?? {}));
  if (!isSecret(before ?? after ?? {})) return changes;
  return changes.map((one) => (isSecretPath(one.path) ? redactedChange(one) : one));
};
