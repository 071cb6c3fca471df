/** The user agent in requests to API servers and proxies; a test keeps the version equal to the package's. */
export const USER_AGENT = 'cdk8s-reconcile/0.1.0';
