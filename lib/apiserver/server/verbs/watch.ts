import { type FieldError, forbiddenField, notSupported } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerEvent, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import type { OpenWatch } from '#lib/apiserver/machinery/server.ts';
import { expired, type StatusError } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import { badReadVersion, checkOptions, parseResourceVersion, tooLargeResourceVersion } from '../errors.ts';
import { type ObjectSelection, selectionOf } from '../selectors/selection.ts';
import { freeze } from '../store/frozen.ts';
import type { StoredChange } from '../store/history.ts';
import type { ChangeListener } from '../store/store.ts';
import { type Server, type Target, withMetadata } from '../target.ts';
import { present } from '../versions.ts';

const MATCH = 'resourceVersionMatch';

/** @see k8s.io/apimachinery v0.36.4 pkg/apis/meta/internalversion/validation/validation.go (`validateWatchOptions`) */
const validate = ({ sendInitialEvents, resourceVersionMatch: match = '' }: WatchRequest): void => {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenField(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  }
  if (match !== '' && sendInitialEvents === undefined) {
    errors.push(forbiddenField(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
  }
  if (match !== '' && match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
  checkOptions('ListOptions', errors);
};

/**
 * Adds the options of a watch-list to a watch without a version or from version "0". Such a watch begins with the existing
 * objects.
 */
const withDefaults = (request: WatchRequest): WatchRequest => {
  const { sendInitialEvents, resourceVersionMatch = '', resourceVersion = '' } = request;
  const isLegacy = resourceVersion === '' || resourceVersion === '0';
  if (sendInitialEvents !== undefined || resourceVersionMatch !== '' || !isLegacy) return request;
  return { ...request, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
};

/** Converts a stored change to the event of a watch; undefined if the watch does not cover the object. */
type Translate = (change: StoredChange) => ServerEvent | undefined;

/**
 * Returns the translation for a watch. When an object starts to match the selectors, the event is ADDED. When the object stops
 * matching, the event is DELETED. Its object is the last matching state, with the resource version of the change.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/cache_watcher.go (`convertToWatchEvent`)
 */
const translatorFor = (target: Target, selection: ObjectSelection): Translate => {
  const { namespace, kind } = target;
  const isSeen = (object: ServerObject): boolean =>
    (namespace === '' || kind.scope === 'Cluster' || object.metadata.namespace === namespace) &&
    (selection.isEmpty || selection.matches(object));
  return ({ object: after, previous: before, isDeletion, version }) => {
    const object = present(after, target);
    const previous = before && present(before, target);
    const wasSeen = previous !== undefined && isSeen(previous);
    if (!isDeletion && isSeen(object)) return { type: wasSeen ? 'MODIFIED' : 'ADDED', object };
    if (!wasSeen) return undefined;
    const last = isDeletion ? object : freeze(withMetadata(previous, { resourceVersion: String(version) }));
    return { type: 'DELETED', object: last };
  };
};

const bookmarkAt = ({ kind, apiVersion }: Target, version: number, annotations?: JsonObject): ServerEvent => ({
  type: 'BOOKMARK',
  object: {
    kind: kind.kind,
    apiVersion,
    metadata: { resourceVersion: String(version), ...(annotations && { annotations }) },
  },
});

const ENDED: OpenWatch = { bookmark: () => {}, close: () => {} };

const failWith = (error: StatusError, onEvent: (event: ServerEvent) => void): OpenWatch => {
  onEvent({ type: 'ERROR', object: error.status as unknown as JsonObject });
  return ENDED;
};

interface Opening {
  readonly server: Server;
  readonly target: Target;
  readonly request: WatchRequest;
  readonly onEvent: (event: ServerEvent) => void;
}

const startLive = ({ server, target, request, onEvent }: Opening, translate: Translate, from: number): OpenWatch => {
  const listener: ChangeListener = (change) => {
    const event = change.version > from ? translate(change) : undefined;
    if (event) onEvent(event);
  };
  const { listeners } = target.collection;
  listeners.add(listener);
  return {
    bookmark: () => {
      if (request.allowWatchBookmarks !== true) return;
      server.store.afterDelivery(() => listeners.has(listener) && onEvent(bookmarkAt(target, server.store.version)));
    },
    close: () => void listeners.delete(listener),
  };
};

const sendInitialEvents = ({ server, target, request, onEvent }: Opening, selection: ObjectSelection): void => {
  const { store } = server;
  const { version } = store;
  const isAll = target.namespace === '' || target.kind.scope === 'Cluster';
  for (const stored of store.objects(target.collection.resource, isAll ? undefined : target.namespace)) {
    const object = present(stored, target);
    if (selection.matches(object)) onEvent({ type: 'ADDED', object });
  }
  if (request.allowWatchBookmarks === true) {
    onEvent(bookmarkAt(target, version, { 'k8s.io/initial-events-end': 'true' }));
  }
};

/**
 * Opens a watch. If its resource version is too old, or too high for a watch-list, the only event is ERROR.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/cacher.go (`Watch`), watch_cache.go (`getAllEventsSinceLocked`)
 * @throws {StatusError} 400, 422 or 500 for invalid parameters
 */
export const openWatch = (given: Opening): OpenWatch => {
  const opening = { ...given, request: withDefaults(given.request) };
  const { server, target, request, onEvent } = opening;
  const selection = selectionOf(target, request, () => validate(request));
  const { resourceVersion = '' } = request;
  const requested = parseResourceVersion(resourceVersion, badReadVersion(resourceVersion));
  const { version } = server.store;
  const translate = translatorFor(target, selection);
  if (request.sendInitialEvents === true) {
    if (requested > version) return failWith(tooLargeResourceVersion(requested, version), onEvent);
    // The listener is registered before the first event is sent. If the receiver of an event writes, the watch does not miss the
    // change.
    const open = startLive(opening, translate, version);
    sendInitialEvents(opening, selection);
    return open;
  }
  const from = requested === 0 ? version : requested;
  const { history } = target.collection;
  if (from < history.beginning) {
    return failWith(expired(`too old resource version: ${from} (${history.beginning})`), onEvent);
  }
  const open = startLive(opening, translate, Math.max(from, version));
  for (const change of history.since(from)) {
    const event = translate(change);
    if (event) onEvent(event);
  }
  return open;
};
