/**
 * Freezes a JSON value, all the way down, in place.
 *
 * A value that is frozen already is taken to be frozen below, too: cached objects are frozen once, when they arrive.
 *
 * @param value - JSON: objects, arrays and scalars, without cycles
 * @returns the same value
 */
export const deepFreeze = <V>(value: V): V => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
};
