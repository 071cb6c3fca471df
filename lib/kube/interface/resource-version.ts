/**
 * Orders two resource versions of the same resource by age.
 *
 * Since Kubernetes 1.35 they are by contract decimal integers of any size without leading zeros (KEP-5504), as etcd-backed
 * servers have always sent them. They can exceed 2^53, so they are compared as text: the longer one is the larger one. For
 * anything else (an aggregated API server with opaque versions) the same rule still gives a total order in which only identical
 * versions are equal, but it does not reflect age.
 *
 * @returns negative when `a` is older than `b`, 0 when they are the same, positive when `a` is newer
 * @example
 * compareResourceVersions('9', '10'); // negative
 */
export const compareResourceVersions = (a: string, b: string): number => {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** True when `a` is newer than `b`. */
export const isNewerVersion = (a: string, b: string): boolean => compareResourceVersions(a, b) > 0;

const isNumber = (version: string): boolean => /^\d+$/.test(version);

/** Whether `a` is certainly older than `b`: versions that are not numbers have no order of age. */
export const isOlderVersion = (a: string, b: string): boolean =>
  compareResourceVersions(a, b) < 0 && isNumber(a) && isNumber(b);
