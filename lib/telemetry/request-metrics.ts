import type { Registry } from './metric.ts';

/** The data of a sent request. */
interface SentRequest {
  readonly method: string;
  readonly host: string;
  readonly code: number | undefined;
  readonly durationMs: number;
}

/** The upper bounds of buckets in seconds, as in the components of Kubernetes (component-base/metrics/prometheus/restclient). */
const BOUNDS: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/**
 * Counts requests to the API server, with the metric names of client-go. `rest_client_requests_total` has the labels code
 * (`<error>` without a response), method and host. `rest_client_request_duration_seconds` measures the time until the head of
 * the response, with the labels verb (the method) and host.
 *
 * @returns a function to call for each sent request
 */
export const createRequestMetrics = (registry: Registry): ((request: SentRequest) => void) => {
  const requests = registry.family({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by code, method and host.',
    type: 'counter',
  });
  const durations = registry.family({
    name: 'rest_client_request_duration_seconds',
    help: 'Time to the head of an answer, the wait for a free connection included, by verb and host.',
    type: 'histogram',
  });
  return ({ method, host, code, durationMs }) => {
    requests.counter({ code: code === undefined ? '<error>' : String(code), method, host }).increment();
    durations.histogram({ verb: method, host }, BOUNDS).observe(durationMs / 1000);
  };
};
