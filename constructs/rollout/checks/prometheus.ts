import { isPlainObject, parsedJson } from '#lib/json.ts';

/**
 * The response of Prometheus to a query: a number, no data, or an invalid response.
 *
 * An empty vector, `NaN` and the infinities count as no data. For example, the share of failed requests is `0 / 0` when there
 * were no requests, which is not an error of the server.
 */
export type PrometheusSample =
  | { readonly sample: 'value'; readonly value: number; readonly text: string }
  | { readonly sample: 'noData'; readonly why: string }
  | { readonly sample: 'error'; readonly why: string };

const error = (why: string): PrometheusSample => ({ sample: 'error', why });

/** A float in Go's format, which the HTTP API uses in strings. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const NOT_FINITE = /^(?:NaN|[+-]?Inf)$/i;

/** The maximum length of a value in the status. Prometheus writes at most 24 characters. */
const TEXT_LENGTH = 32;

/** Reads a pair `[time, "value"]`, which is a scalar or the sample of one series of a vector. */
const readPoint = (point: unknown): PrometheusSample => {
  const text: unknown = Array.isArray(point) ? point[1] : undefined;
  if (typeof text !== 'string' || text.length > TEXT_LENGTH) return error('the answer has a sample without a value');
  if (NOT_FINITE.test(text)) return { sample: 'noData', why: `the value is ${text}` };
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { sample: 'value', value, text } : error('the answer has a value that is no number');
};

/** The rule for a vector: `One` requires exactly one series, `First` reads the first of any number of series. */
export type Series = 'One' | 'First';

const readVector = (result: unknown, series: Series): PrometheusSample => {
  if (!Array.isArray(result)) return error('the answer has no list of series');
  if (result.length === 0) return { sample: 'noData', why: 'the query found no series' };
  if (result.length > 1 && series === 'One') {
    return error(
      `the query found ${result.length} series, and which of them counts is not said: aggregate them, as with sum() or max()`,
    );
  }
  return readPoint(isPlainObject(result[0]) ? result[0]['value'] : undefined);
};

/**
 * The error of a refused query. It has only the error type, because the message may contain the query and change between
 * tries.
 */
const refusalOf = (status: number, answer: unknown): string => {
  if (status >= 300 && status <= 399) return `the server answered ${status}, a redirect elsewhere, as to a login`;
  const type = isPlainObject(answer) ? answer['errorType'] : undefined;
  return typeof type === 'string' && /^[a-z_]{1,32}$/.test(type)
    ? `the server answered ${status}, ${type}`
    : `the server answered ${status}`;
};

/**
 * Reads the response to an instant query: the sample of a vector, or the scalar.
 *
 * @param answer - status and body of the response; `isCut`: whether the end of a long body was not read
 * @param series - the rule for a vector with several series
 * @see https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries
 */
export const readSample = (
  { status, body, isCut = false }: { readonly status: number; readonly body: string; readonly isCut?: boolean },
  series: Series = 'One',
): PrometheusSample => {
  // The start of the body is compared, because other servers may also send long pages.
  if (isCut && status === 200 && body.startsWith('{"status"')) {
    return error('the answer is longer than 64 KiB: aggregate the series of the query, as with sum() or max()');
  }
  const answer = parsedJson(body);
  if (status < 200 || status > 299) return error(refusalOf(status, answer));
  if (!isPlainObject(answer)) return error('the answer is not that of a Prometheus server');
  if (answer['status'] !== 'success' || !isPlainObject(answer['data'])) return error(refusalOf(status, answer));
  const { resultType, result } = answer['data'];
  if (resultType === 'vector') return readVector(result, series);
  if (resultType === 'scalar') return readPoint(result);
  return error('the query is not of type vector or scalar');
};
