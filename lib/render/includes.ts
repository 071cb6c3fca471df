import { equalJson, isPlainObject, memberOf } from '#lib/json.ts';

/**
 * Whether a value includes a wanted value. An object must include all wanted members, and may have others; a list must have the
 * same length, and each item must include the wanted item.
 *
 * @param there - the observed value
 * @param wanted - plain JSON; members of value undefined are ignored
 */
export const includes = (there: unknown, wanted: unknown): boolean => {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted))
    return (
      Array.isArray(there) && there.length === wanted.length && wanted.every((item, i) => includes(there[i], item))
    );
  if (!isPlainObject(wanted)) return equalJson(there, wanted);
  return (
    isPlainObject(there) && Object.entries(wanted).every(([name, member]) => includes(memberOf(there, name), member))
  );
};
