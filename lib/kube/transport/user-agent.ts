/** The user agent of all requests. A test compares its version with the version of the package. */
export const USER_AGENT = 'cdk8s-reconcile/0.1.0';
