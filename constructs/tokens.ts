/**
 * Whether cdk8s resolves a value only when it renders: `Lazy` and every other object with a `produce` or `resolve` method. The
 * resolved value is checked when the object is rendered.
 *
 * Tokens are recognized by their methods and not by their class, because two copies of cdk8s do not recognize each other's
 * `Lazy`.
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
