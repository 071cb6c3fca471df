/** The minimum version of Node.js, as in `engines` of package.json. */
const [MAJOR, MINOR] = [22, 19];

/**
 * The reason why this version of Node.js is unsupported, in one line; undefined for a supported version.
 *
 * Assumptions: this file has no imports, because an old version of Node.js may not be able to load them.
 *
 * @param version - a version such as `22.19.0`
 */
export const nodeVersionProblem = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MAJOR || (major === MAJOR && minor >= MINOR)) return undefined;
  return `cdk8s-reconcile: Cannot run on Node.js ${version}: it needs ${MAJOR}.${MINOR} or later; install that, or choose it with your version manager`;
};
