import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';

/**
 * Events have two faces, one object: what is written as events.k8s.io/v1 is read as v1, and the other way round.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/events/v1/conversion.go
 */
const NEWER_NAMES: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  reportingComponent: 'reportingController',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
};
const OLDER_NAMES = Object.fromEntries(Object.entries(NEWER_NAMES).map(([older, newer]) => [newer, older]));

/** The newer face of events; not in `resources`, for only who speaks HTTP needs it. */
export const newerEvents = { group: 'events.k8s.io', version: 'v1', plural: 'events' } as const satisfies ResourceName;

/** How events are stored. */
export const olderEvents = { group: '', version: 'v1', plural: 'events' } as const satisfies ResourceName;

/** Whether a resource is the newer face of events. */
export const isNewerEvents = ({ group, version, plural }: ResourceName): boolean =>
  group === newerEvents.group && version === newerEvents.version && plural === newerEvents.plural;

const renamed = (object: JsonObject, names: Readonly<Record<string, string>>, apiVersion: string): JsonObject => ({
  ...Object.fromEntries(Object.entries(object).map(([name, value]) => [names[name] ?? name, value])),
  ...(object['apiVersion'] !== undefined && { apiVersion }),
});

/** A body of the newer face as the older one; also a part of an object, as patches have it. */
export const toOlderEvent = (body: unknown): unknown => {
  if (Array.isArray(body)) return body.map(toOlderOperation);
  return isPlainObject(body) && body['kind'] !== 'DeleteOptions' ? renamed(body, OLDER_NAMES, 'v1') : body;
};

const path = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.replace(/^\/([^/]*)/, (all, name: string) => (OLDER_NAMES[name] ? `/${OLDER_NAMES[name]}` : all))
    : value;

/** One step of a JSON patch. */
const toOlderOperation = (operation: unknown): unknown => {
  if (!isPlainObject(operation)) return operation;
  return {
    ...operation,
    path: path(operation['path']),
    ...(operation['from'] !== undefined && { from: path(operation['from']) }),
  };
};

/** An event, a list of them, or a `Status`, as the newer face shows it. */
export const toNewerEvent = (body: JsonObject): JsonObject => {
  if (body['kind'] === 'Status') return body;
  const items = body['items'];
  if (!Array.isArray(items)) return renamed(body, NEWER_NAMES, 'events.k8s.io/v1');
  const newer = items.map((item) => renamed(item as JsonObject, NEWER_NAMES, 'events.k8s.io/v1'));
  return { ...body, apiVersion: 'events.k8s.io/v1', items: newer };
};

/** A field selector of the newer face as the older one. */
export const toOlderSelector = (selector: string): string =>
  selector
    .replaceAll(/(^|,)\s*regarding\./g, '$1involvedObject.')
    .replaceAll(/(^|,)\s*reportingController(?=[=!])/g, '$1reportingComponent');
