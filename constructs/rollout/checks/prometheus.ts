import { isPlainObject, parsedJson } from '#lib/json.ts';

/**
 * The result of one query to Prometheus: a number, no data, or an error.
 *
 * An empty vector, `NaN` and the infinities count as no data. For example, an error rate without requests is `0 / 0`, which does
 * not mean that requests fail.
 */
export type PrometheusSample =
  | { readonly sample: 'value'; readonly value: number; readonly text: string }
  | { readonly sample: 'noData'; readonly why: string }
  | { readonly sample: 'error'; readonly why: string };

const error = (why: string): PrometheusSample => ({ sample: 'error', why });

/** A float in Go's format, which the HTTP API uses in strings. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const NOT_FINITE = /^(?:NaN|[+-]?Inf)$/i;

/** Maximum length of a value, because values are stored in the status. Prometheus writes at most 24 characters. */
const TEXT_LENGTH = 32;

/** Reads `[time, "value"]`, the format of a scalar and of one series of a vector. */
const readPoint = (point: unknown): PrometheusSample => {
  const text: unknown = Array.isArray(point) ? point[1] : undefined;
  if (typeof text !== 'string' || text.length > TEXT_LENGTH) return error('the answer has a sample without a value');
  if (NOT_FINITE.test(text)) return { sample: 'noData', why: `the value is ${text}` };
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { sample: 'value', value, text } : error('the answer has a value that is no number');
};

/** Which series of a vector to read. `One`: the only series; several series are an error. `First`: the first series. */
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
 * Describes a response without a result. Only the error type is read from the body. The error message may contain the query, and
 * may differ between two requests.
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
 * @param answer - status and body; `isCut`: the body was longer than the limit, and only its beginning was read
 * @param series - which series of a vector to read
 * @see https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries
 */
export const readSample = (
  { status, body, isCut = false }: { readonly status: number; readonly body: string; readonly isCut?: boolean },
  series: Series = 'One',
): PrometheusSample => {
  // Only a response in the format of Prometheus is reported as too long. A long response in another format is an invalid
  // response.
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
