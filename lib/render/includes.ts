import { equalJson, isPlainObject, memberOf } from '#lib/json.ts';

/**
 * Whether a value includes a wanted value. An object must include all wanted members, and may have other members. A list must
 * have as many items as the wanted list. Each item must include the wanted item at the same position.
 *
 * @param there - the observed value
 * @param wanted - plain JSON; members with the value undefined are ignored
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
