import { childPath, isPlainObject, type JsonObject } from '#lib/json.ts';

/** A merge patch that sets one value: `.spec.replicas` and 3 to `{ spec: { replicas: 3 } }`. */
export const patchAt = (path: string, value: unknown): JsonObject => {
  const names = path.split('.').filter((name) => name !== '');
  return names.toReversed().reduce<unknown>((inner, name) => ({ [name]: inner }), value) as JsonObject;
};

const leaves = (value: unknown, path: string): readonly string[] => {
  if (!isPlainObject(value) || Object.keys(value).length === 0)
    return [`${path} = ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, childPath(path, name)));
};

/** Formats a merge patch: `spec.deployment.version = 1.7.8`. */
export const patchText = (patch: unknown): string => leaves(patch, '').join(', ');
