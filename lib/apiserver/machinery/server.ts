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

/** A watch that is open. */
export interface OpenWatch {
  /** Sends a bookmark with the version reached, if the watch asked for bookmarks; the server never does so by itself. */
  bookmark(): void;
  /** No event comes after this. */
  close(): void;
}

/** The virtual API server as its clients, its actors and the tests see it. Everything is synchronous and deterministic. */
export interface ApiServer {
  /** Never throws: errors are answers. */
  handle(request: ServerRequest): ServerResponse;
  /**
   * Opens a watch. Events that are due come before it returns, later ones as part of the write that causes them.
   *
   * @throws {StatusError} when the watch cannot be opened (404, 410, 400, 501); an expired version may also come as an ERROR event, as from the real server
   */
  watch(request: WatchRequest, onEvent: (event: ServerEvent) => void): OpenWatch;
  /** Objects of a resource as they are stored, sorted by namespace and name; no request, no conversion. */
  objects(resource: GroupResource, namespace?: string): readonly ServerObject[];
  /** The answer to a list at an older version, as a lagging replica would give it; `undefined` when history does not reach back so far. */
  objectsAt(resource: GroupResource, resourceVersion: string): readonly ServerObject[] | undefined;
  /** The version of the last write. */
  readonly resourceVersion: string;
  /**
   * Stores an object as another cluster had it: with its uid, resource version, times and status. Nothing is defaulted, checked or
   * told; before actors and watches are there. Later writes get versions above all that were restored.
   *
   * @throws {StatusError} 404 or 501 for a resource that is not served
   */
  restore(resource: ResourceName, object: ServerObject): void;
  /**
   * Forgets history up to a version, so that watches and pages from before are answered 410.
   *
   * @param keep - so many of the last changes of each resource watches can still go back over, as by the real server's watch cache; 0 by default
   */
  compact(resourceVersion: string, keep?: number): void;
  /**
   * A server of its own that starts with what this one has stored, serves and remembers; nobody watches it.
   *
   * @param now - its clock, in epoch milliseconds
   */
  copy(now: () => number): ApiServer;
  /** Everything that is stored, by resource, for fingerprints and dumps. */
  dump(): JsonObject;
}
