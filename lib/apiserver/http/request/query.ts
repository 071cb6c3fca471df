import { invalid, notSupported } from '#lib/apiserver/machinery/field-error.ts';
import type { RequestOptions, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';

/** An object type with members that may be absent, but cannot be `undefined`. */
type Given<O> = { readonly [name in keyof O]?: Exclude<O[name], undefined> };

const given = <O extends object>(object: O): Given<O> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Given<O>;

const queryText = (query: URLSearchParams, name: string): string | undefined => query.get(name) ?? undefined;

/**
 * Reads a boolean parameter. All values except `0` and `false` are true.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/runtime/converter.go (`Convert_Slice_string_To_bool`)
 */
const flagOf = (query: URLSearchParams, name: string): boolean | undefined => {
  const text = query.get(name);
  return text === null ? undefined : !['0', 'false'].includes(text.toLowerCase());
};

const numberOf = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (/^[+-]?\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(
    `unable to decode query parameter "${name}": strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
};

const KIND_OF_OPTIONS: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
};

const dryRunOf = (query: URLSearchParams, verb: string): boolean | undefined => {
  const values = query.getAll('dryRun').filter((value) => value !== '');
  if (values.every((value) => value === 'All')) return values.length > 0 ? true : undefined;
  const kind = KIND_OF_OPTIONS[verb] ?? 'DeleteOptions';
  throw invalid({ group: 'meta.k8s.io', kind, name: '' }, [notSupported('dryRun', values, ['All'])]);
};

/**
 * Reads the query of a request that is not a watch.
 *
 * @throws {StatusError} 400 or 422 for a malformed parameter
 */
export const requestOptions = (query: URLSearchParams, verb: string): RequestOptions =>
  given({
    fieldManager: queryText(query, 'fieldManager'),
    force: flagOf(query, 'force'),
    dryRun: dryRunOf(query, verb),
    fieldValidation: queryText(query, 'fieldValidation') as RequestOptions['fieldValidation'],
    labelSelector: queryText(query, 'labelSelector'),
    fieldSelector: queryText(query, 'fieldSelector'),
    limit: numberOf(query, 'limit'),
    continue: queryText(query, 'continue'),
    resourceVersion: queryText(query, 'resourceVersion'),
    resourceVersionMatch: queryText(query, 'resourceVersionMatch'),
  });

/** Reads the query of a watch. @throws {StatusError} 400 for a malformed parameter */
export const watchOptions = (
  query: URLSearchParams,
): Omit<WatchRequest, 'resource' | 'namespace' | 'name'> & { readonly timeoutSeconds?: number } =>
  given({
    labelSelector: queryText(query, 'labelSelector'),
    fieldSelector: queryText(query, 'fieldSelector'),
    resourceVersion: queryText(query, 'resourceVersion'),
    resourceVersionMatch: queryText(query, 'resourceVersionMatch'),
    allowWatchBookmarks: flagOf(query, 'allowWatchBookmarks'),
    sendInitialEvents: flagOf(query, 'sendInitialEvents'),
    timeoutSeconds: numberOf(query, 'timeoutSeconds'),
  });

/** Whether the parameter `watch` is true. */
export const isWatch = (query: URLSearchParams): boolean => flagOf(query, 'watch') === true;

const DURATION = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/;

/**
 * Checks that the `timeout` parameter of a request is a duration, unless the request is a watch. The parameter has no effect,
 * because responses are immediate.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/filters/request_deadline.go (`parseTimeout`)
 * @throws {StatusError} 400
 */
export const checkTimeout = (query: URLSearchParams): void => {
  const text = query.get('timeout') ?? '';
  if (text === '' || isWatch(query) || DURATION.test(text)) return;
  throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`);
};

/**
 * Reads delete options from the query; undefined when the query has none. If the body has options, the query is ignored.
 *
 * @throws {StatusError} 400 or 422 for a malformed parameter
 */
export const deleteOptionsIn = (query: URLSearchParams): JsonObject | undefined => {
  const options = given({
    gracePeriodSeconds: numberOf(query, 'gracePeriodSeconds'),
    propagationPolicy: queryText(query, 'propagationPolicy'),
    orphanDependents: flagOf(query, 'orphanDependents'),
    dryRun: dryRunOf(query, 'delete') === true ? ['All'] : undefined,
  });
  return Object.keys(options).length === 0 ? undefined : { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
};
