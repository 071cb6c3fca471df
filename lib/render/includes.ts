import { equalJson, isPlainObject, memberOf } from '#lib/json.ts';

/**
 * True when all that is wanted is there: members of objects one by one, whatever else there is; lists as long as they are wanted, and
 * item by item.
 *
 * @param there - what was observed
 * @param wanted - plain JSON; a member of value undefined is not wanted
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
