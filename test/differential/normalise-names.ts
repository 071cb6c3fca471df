/** Beginnings of the uids that sequences choose: these are the same on both sides. */
const ownUids = ['00000000-aaaa-bbbb-cccc-', '11111111-2222-3333-4444-', '99999999-0000-0000-0000-'];

const isVersion = (value: string): boolean => /^[1-9]\d*$/.test(value);

/**
 * Names for values that differ between servers, by order of first appearance, so that a name never depends on later
 * answers: versions `r1`, `r2`, … (with the next greater one when a version is not the greatest so far), uids `u1`,
 * `u2`, ….
 */
export interface Names {
  readonly version: (value: string) => string;
  /**
   * The version of a list. Other sequences write as well, so the version may be any from the last write of this sequence up to
   * now.
   */
  readonly floor: (value: string) => string;
  readonly uid: (value: string) => string;
}

/** Creates an empty set of names. */
export const createNames = (): Names => {
  const versions = new Map<number, string>();
  const uids = new Map<string, string>();
  const greatestUpTo = (value: number): number => Math.max(0, ...[...versions.keys()].filter((one) => one <= value));
  const leastAbove = (value: number): number =>
    Math.min(Infinity, ...[...versions.keys()].filter((one) => one > value));
  return {
    version: (value) => {
      if (!isVersion(value)) return value;
      const number = Number(value);
      const above = versions.get(leastAbove(number));
      const label = versions.get(number) ?? `r${versions.size + 1}${above === undefined ? '' : `<${above}`}`;
      versions.set(number, label);
      return label;
    },
    floor: (value) => (isVersion(value) ? `≥${versions.get(greatestUpTo(Number(value))) ?? 'start'}` : value),
    uid: (value) => {
      if (ownUids.some((prefix) => value.startsWith(prefix))) return value;
      const label = uids.get(value) ?? `u${uids.size + 1}`;
      uids.set(value, label);
      return label;
    },
  };
};
