/**
 * Orders two resource versions of the same resource by age.
 *
 * Since Kubernetes 1.35, resource versions are decimal integers of any size without leading zeros (KEP-5504). Servers with etcd
 * have always sent such versions. Resource versions can exceed 2^53, so they are compared as text: the longer text is the larger
 * number. The versions of some aggregated API servers have another form. For these, the result is a total order in which only
 * identical versions are equal, but this order does not reflect age.
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

/** Whether `a` is newer than `b` in the order of {@link compareResourceVersions}. */
export const isNewerVersion = (a: string, b: string): boolean => compareResourceVersions(a, b) > 0;

const isNumber = (version: string): boolean => /^\d+$/.test(version);

/** Whether `a` is certainly older than `b`. False for versions that are not numbers, because their order does not reflect age. */
export const isOlderVersion = (a: string, b: string): boolean =>
  compareResourceVersions(a, b) < 0 && isNumber(a) && isNumber(b);
