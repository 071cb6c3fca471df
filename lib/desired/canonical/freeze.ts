/**
 * Freezes a JSON value deeply, in place.
 *
 * If the value is already frozen, the function assumes that all its members are frozen, too. The cache freezes each object deeply
 * on arrival.
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
