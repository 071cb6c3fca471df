import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

/**
 * The names of fields of Events in events.k8s.io/v1, by their different names in v1. The server serves Events under both API
 * groups, but stores each Event once, as v1.
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

/** The resource Events of events.k8s.io/v1. `resources` does not have this resource, because only HTTP clients use it. */
export const newerEvents = { group: 'events.k8s.io', version: 'v1', plural: 'events' } as const satisfies ResourceName;

/** The resource Events of v1. The server stores all events in this form. */
export const olderEvents = { group: '', version: 'v1', plural: 'events' } as const satisfies ResourceName;

/** Whether a resource is Events of events.k8s.io/v1. */
export const isNewerEvents = ({ group, version, plural }: ResourceName): boolean =>
  group === newerEvents.group && version === newerEvents.version && plural === newerEvents.plural;

const renamed = (object: JsonObject, names: Readonly<Record<string, string>>, apiVersion: string): JsonObject => ({
  ...Object.fromEntries(Object.entries(object).map(([name, value]) => [names[name] ?? name, value])),
  ...(object['apiVersion'] !== undefined && { apiVersion }),
});

/** Translates an event or a patch from events.k8s.io/v1 to v1. Other bodies stay unchanged. */
export const toOlderEvent = (body: unknown): unknown => {
  if (Array.isArray(body)) return body.map(toOlderOperation);
  return isPlainObject(body) && body['kind'] !== 'DeleteOptions' ? renamed(body, OLDER_NAMES, 'v1') : body;
};

const path = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.replace(/^\/([^/]*)/, (all, name: string) => (OLDER_NAMES[name] ? `/${OLDER_NAMES[name]}` : all))
    : value;

const toOlderOperation = (operation: unknown): unknown => {
  if (!isPlainObject(operation)) return operation;
  return {
    ...operation,
    path: path(operation['path']),
    ...(operation['from'] !== undefined && { from: path(operation['from']) }),
  };
};

/** Translates an event or a list of events from v1 to events.k8s.io/v1. A `Status` stays unchanged. */
export const toNewerEvent = (body: JsonObject): JsonObject => {
  if (body['kind'] === 'Status') return body;
  const items = body['items'];
  if (!Array.isArray(items)) return renamed(body, NEWER_NAMES, 'events.k8s.io/v1');
  const newer = items.map((item) => renamed(item as JsonObject, NEWER_NAMES, 'events.k8s.io/v1'));
  return { ...body, apiVersion: 'events.k8s.io/v1', items: newer };
};

/** Translates the names in a field selector from events.k8s.io/v1 to v1. */
export const toOlderSelector = (selector: string): string =>
  selector
    .replaceAll(/(^|,)\s*regarding\./g, '$1involvedObject.')
    .replaceAll(/(^|,)\s*reportingController(?=[=!])/g, '$1reportingComponent');
