import { ConnectionError } from '#lib/errors.ts';
import type { ApiObject, WatchEvent } from './api.ts';
import { isRecord } from './json.ts';
import { errorOfStatus } from './status-error.ts';

const isApiObject = (value: unknown): value is ApiObject =>
  isRecord(value) && isRecord(value['metadata']) && typeof value['metadata']['resourceVersion'] === 'string';

const parseLine = (request: string, line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw new ConnectionError(`Cannot ${request}: the stream broke off in the middle of an event, or is not JSON`);
  }
};

/**
 * Reads one line of a watch.
 *
 * @param request - what was asked, such as `watch pods`; it starts messages
 * @throws ApiError for an ERROR event, whose object is a `Status`
 * @throws ConnectionError for a line that is no event of a known type
 */
export const parseWatchEvent = (request: string, line: string): WatchEvent => {
  const event = parseLine(request, line);
  const { type, object } = isRecord(event) ? event : {};
  if (type === 'ERROR') throw errorOfStatus(request, object);
  if (isApiObject(object)) {
    if (type === 'BOOKMARK') return { type, resourceVersion: object.metadata.resourceVersion };
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object };
  }
  throw new ConnectionError(
    `Cannot ${request}: got ${JSON.stringify(type ?? 'something')} that is no watch event; is this an API server?`,
  );
};
