type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Applies a JSON merge patch as RFC 7386 has it: null removes, objects merge, everything else replaces. */
export const applyMergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch;
  // A map and not an object, in which some names (`__proto__`) mean something else.
  const members = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, applyMergePatch(members.get(name), value));
  }
  return Object.fromEntries(members);
};
