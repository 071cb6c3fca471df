/** The container port of the startup, liveness and readiness probes. */
export const HEALTH_PORT = 8081;

/** The container port of the conversion webhook, for kinds that need the webhook. */
export const CONVERSION_PORT = 9443;

/** The port of the metrics, of the container and of the Service. */
export const METRICS_PORT = 8080;
