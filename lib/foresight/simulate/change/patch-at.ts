import { childPath, isPlainObject, type JsonObject } from '#lib/json.ts';

/** Returns a merge patch that sets one value, such as `{ spec: { replicas: 3 } }` for `.spec.replicas` and 3. */
export const patchAt = (path: string, value: unknown): JsonObject => {
  const names = path.split('.').filter((name) => name !== '');
  return names.toReversed().reduce<unknown>((inner, name) => ({ [name]: inner }), value) as JsonObject;
};

const leaves = (value: unknown, path: string): readonly string[] => {
  if (!isPlainObject(value) || Object.keys(value).length === 0)
    return [`${path} = ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, childPath(path, name)));
};

/** Formats a merge patch, such as `spec.deployment.version = 1.7.8`. */
export const patchText = (patch: unknown): string => leaves(patch, '').join(', ');
