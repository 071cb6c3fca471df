import { isPlainObject, type JsonObject } from '#lib/json.ts';

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => (item === null ? null : withoutNulls(item)));
  if (!isPlainObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
};

/**
 * Applies a JSON merge patch (RFC 7386) like the library of the real server. Unlike the RFC, this library also removes null
 * members of objects in added lists. Null items of lists stay.
 *
 * @see gopkg.in/evanphx/json-patch.v4 v4.13.0 merge.go
 */
export const mergePatch = (document: JsonObject, patch: JsonObject): JsonObject => {
  const merged: Record<string, unknown> = { ...document };
  for (const [name, value] of Object.entries(patch)) {
    const current = Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (value === null) delete merged[name];
    else if (!isPlainObject(current)) merged[name] = withoutNulls(value);
    else merged[name] = isPlainObject(value) ? mergePatch(current, value) : value;
  }
  return merged;
};
