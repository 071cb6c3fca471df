/**
 * True for values that cdk8s resolves only when it renders: `Lazy` and everything else with a `produce` or `resolve`
 * method. What they stand for is checked when the object is rendered.
 *
 * By shape and not by class, because two copies of cdk8s do not recognise each other's `Lazy`.
 */
export const isToken = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const { produce, resolve } = value as { produce?: unknown; resolve?: unknown };
  return typeof produce === 'function' || typeof resolve === 'function';
};

/** Whether a value is a token or has one in it. */
export const containsToken = (value: unknown): boolean => {
  if (isToken(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(containsToken);
};
