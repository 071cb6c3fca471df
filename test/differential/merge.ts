import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** A merge patch by RFC 7396. With `keepsNulls`, null is a value like any other. */
export const mergeJson = (target: JsonObject, patch: JsonObject, keepsNulls = false): JsonObject => {
  const merged: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null && !keepsNulls) delete merged[name];
    else if (isPlainObject(value)) {
      const before = merged[name];
      merged[name] = mergeJson(isPlainObject(before) ? before : {}, value, keepsNulls);
    } else merged[name] = value;
  }
  return merged;
};
