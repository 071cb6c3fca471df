/** Where the process answers probes. */
export const HEALTH_PORT = 8081;

/** Where the process converts objects between versions, if a kind needs it. */
export const CONVERSION_PORT = 9443;

/** Where the process shows its metrics. */
export const METRICS_PORT = 8080;
