import type { JsonObject } from '#lib/json.ts';
import type { ServerObject } from './object.ts';
import type {
  GroupResource,
  ResourceName,
  ServerEvent,
  ServerRequest,
  ServerResponse,
  WatchRequest,
} from './request.ts';

/** An open watch. */
export interface OpenWatch {
  /** Sends a bookmark with the current version, if the watch requested bookmarks; the server never sends one by itself. */
  bookmark(): void;
  /** Closes the watch; no event follows. */
  close(): void;
}

/** The virtual API server, as clients, actors and tests use it. All calls are synchronous and deterministic. */
export interface ApiServer {
  /** Handles a request. Never throws: errors are answers. */
  handle(request: ServerRequest): ServerResponse;
  /**
   * Opens a watch. Pending events are delivered before it returns, later ones during the write that causes them.
   *
   * @throws {StatusError} when the watch cannot be opened (404, 410, 400, 501); an expired version may also come as an ERROR event, as from the real server
   */
  watch(request: WatchRequest, onEvent: (event: ServerEvent) => void): OpenWatch;
  /** The stored objects of a resource, sorted by namespace and name; neither a request nor a conversion. */
  objects(resource: GroupResource, namespace?: string): readonly ServerObject[];
  /** The answer to a list at an older version, as a lagging replica would give it; `undefined` when history does not reach that far. */
  objectsAt(resource: GroupResource, resourceVersion: string): readonly ServerObject[] | undefined;
  /** The version of the last write. */
  readonly resourceVersion: string;
  /**
   * Stores an object from another cluster with its uid, resource version, times and status. Skips defaults, validation and
   * events, so call it before actors and watches exist. Later writes get versions above all restored ones.
   *
   * @throws {StatusError} 404 or 501 for a resource that is not served
   */
  restore(resource: ResourceName, object: ServerObject): void;
  /**
   * Drops history up to a version; watches and pages from before get 410.
   *
   * @param keep - number of recent changes per resource that watches can still go back, as with the real server's watch cache; 0 by default
   */
  compact(resourceVersion: string, keep?: number): void;
  /**
   * An independent server with the same stored objects, kinds and history, without watches.
   *
   * @param now - its clock, in epoch milliseconds
   */
  copy(now: () => number): ApiServer;
  /** All stored objects, by resource, for fingerprints and dumps. */
  dump(): JsonObject;
}
