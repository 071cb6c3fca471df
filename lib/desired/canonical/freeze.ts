/**
 * Freezes a JSON value deeply, in place.
 *
 * A frozen value is assumed to be frozen deeply: cached objects are frozen once, when they arrive.
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
