/**
 * The largest depth of a value in a request. Functions that call themselves for each level would exhaust the stack with deeper
 * values. The limit of the real server is 10,000; objects of Kubernetes have some dozens of levels.
 */
const MAX_DEPTH = 1000;

const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1)));

/** Whether a value has more levels of lists and objects than a request may have. */
export const isTooDeep = (value: unknown): boolean => isDeeperThan(value, MAX_DEPTH);
