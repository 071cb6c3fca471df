/** The port of the probes. */
export const HEALTH_PORT = 8081;

/** The port of the conversion webhook, for kinds that need one. */
export const CONVERSION_PORT = 9443;

/** The port of the metrics. */
export const METRICS_PORT = 8080;
