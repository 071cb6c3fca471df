import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** @see RFC 7386 */
export const merge = (target: JsonObject, patch: JsonObject): JsonObject => {
  const result: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    const before = result[name];
    if (value === null) delete result[name];
    else if (isPlainObject(value)) result[name] = merge(isPlainObject(before) ? before : {}, value);
    else result[name] = value;
  }
  return result;
};
