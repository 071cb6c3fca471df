import { equalJson, isPlainObject, memberOf } from '#lib/json.ts';

/**
 * Whether an observed value includes a wanted value. An object may have more members than the wanted object. A list must have
 * as many items, each of which includes the wanted item at its position.
 *
 * @param there - the observed value
 * @param wanted - plain JSON; undefined, at the top or as a member, matches any value
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
