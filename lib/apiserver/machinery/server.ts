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
  /**
   * Sends a bookmark with the current resource version, if the watch requested bookmarks. The only bookmark that the server sends
   * by itself ends the initial events of a watch-list.
   */
  bookmark(): void;
  /** Closes the watch; no event follows. */
  close(): void;
}

/** Options of {@link ApiServer.copy}. */
export interface ServerCopyOptions {
  /**
   * Whether the copy and its own copies share the results of writes. A server that reaches a state by the same writes at the same
   * times as another server then repeats the stored results. A search needs this, because it repeats steps from the start.
   *
   * @default as the copied server
   */
  readonly recallsWrites?: boolean;
}

/** The interface of the virtual API server for clients, actors and tests. All methods are synchronous. */
export interface ApiServer {
  /** Handles a request. This method never throws. If the request fails, the response is a `Status`. */
  handle(request: ServerRequest): ServerResponse;
  /**
   * Opens a watch. Before this function returns, the server delivers the events since the start version of the watch. The server
   * delivers each later event during the write that causes the event.
   *
   * @throws {StatusError} 400, 404, 422, 500 or 501. A start version that is too old, or too high for a watch-list, causes an
   * ERROR event instead
   */
  watch(request: WatchRequest, onEvent: (event: ServerEvent) => void): OpenWatch;
  /**
   * Returns the stored objects of a resource, sorted by namespace and name, in the storage version. This call is not a request.
   */
  objects(resource: GroupResource, namespace?: string): readonly ServerObject[];
  /**
   * Returns the objects of a resource at an older version, as in the list of an outdated replica; `undefined` when the history
   * does not contain this version.
   */
  objectsAt(resource: GroupResource, resourceVersion: string): readonly ServerObject[] | undefined;
  /** The version of the last write. */
  readonly resourceVersion: string;
  /**
   * Stores an object from another cluster with its uid, resource version, times and status. This method fills in no defaults,
   * validates nothing and sends no events. Call this method before actors and watches exist. Later writes get higher resource
   * versions than all restored objects.
   *
   * @throws {StatusError} 404 or 501 for a resource that is not served
   */
  restore(resource: ResourceName, object: ServerObject): void;
  /**
   * Drops history up to a version. Watches and continued lists that start at an earlier version get 410.
   *
   * @param keep - number of recent changes per resource that a watch can still request, like the watch cache of the real
   * server; 0 by default
   */
  compact(resourceVersion: string, keep?: number): void;
  /**
   * Returns an independent server with the same stored objects, kinds and history, but without watches.
   *
   * @param now - the clock of the new server, in epoch milliseconds
   */
  copy(now: () => number, options?: ServerCopyOptions): ApiServer;
  /** Returns all stored objects, by resource, for fingerprints and dumps. */
  dump(): JsonObject;
}
