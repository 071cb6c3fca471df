import type { JsonObject } from '#lib/json.ts';
import type { ServerObject } from './object.ts';

/** A resource in any version. The core group is ''. */
export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

/** The resource in a URL path. */
export interface ResourceName extends GroupResource {
  readonly version: string;
}

/** The media type of a patch: JSON Patch, merge patch, strategic merge patch, server-side apply. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** The query parameters of a request, by their names in Kubernetes. */
export interface RequestOptions {
  /** The name of the field manager. @default 'unknown' */
  readonly fieldManager?: string;
  readonly force?: boolean;
  /** Whether the request is a dry run (`dryRun=All`): the server runs all steps of the request, but stores nothing. */
  readonly dryRun?: boolean;
  /** The strictness about unknown fields. @default 'Warn' */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

/** A request to the virtual API server: the contents of its URL, query and body. */
export interface ServerRequest {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
  readonly resource: ResourceName;
  readonly namespace?: string;
  readonly name?: string;
  /** The subresource, such as `status` or `scale`. The response to an unsupported subresource is 404 or 501. */
  readonly subresource?: string;
  readonly patchType?: PatchType;
  readonly options?: RequestOptions;
  /** The body; for a deletion its `DeleteOptions`. */
  readonly body?: unknown;
  /** Problems of the body's text that only strict validation reports, such as `duplicate field "spec.replicas"`. */
  readonly textProblems?: readonly string[];
  /**
   * Called before an update or a patch creates an object. The right to update does not include the right to create. To refuse the
   * request, the function throws a StatusError.
   */
  readonly authorizeCreation?: () => void;
}

/** A response: its code, and an object, a list, or a `Status`. */
export interface ServerResponse {
  /** The HTTP status code. */
  readonly code: number;
  readonly body: JsonObject;
}

/** The parameters of a watch. */
export interface WatchRequest {
  readonly resource: ResourceName;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * The resource version at which the watch starts. Without a version, or with '0', the watch starts with an ADDED event for
   * every existing object that matches, unless `sendInitialEvents` is false.
   */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly allowWatchBookmarks?: boolean;
  /**
   * Whether to request a watch-list: ADDED events for existing objects and then, if bookmarks are allowed, a bookmark with the
   * annotation `k8s.io/initial-events-end`.
   */
  readonly sendInitialEvents?: boolean;
}

/** An event of a watch. The object of a bookmark has only kind, apiVersion and `metadata.resourceVersion` (and annotations). */
export type ServerEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: ServerObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonObject }
  /** The object is a `Status`. The watch ends with this event. */
  | { readonly type: 'ERROR'; readonly object: JsonObject };
