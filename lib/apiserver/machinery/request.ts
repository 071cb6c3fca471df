import type { JsonObject } from '#lib/json.ts';
import type { ServerObject } from './object.ts';

/** A resource whatever its version. The core group is ''. */
export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

/** What a URL path names. */
export interface ResourceName extends GroupResource {
  readonly version: string;
}

/** The media type of a patch: JSON Patch, merge patch, strategic merge patch, server-side apply. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** The query of a request, by the names that Kubernetes gives its parameters. */
export interface RequestOptions {
  /** @default 'unknown' */
  readonly fieldManager?: string;
  readonly force?: boolean;
  /** `All`: everything but the write takes place. */
  readonly dryRun?: boolean;
  /** @default 'Warn' */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

/** One request to the virtual API server, as its URL, its query and its body say it. */
export interface ServerRequest {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
  readonly resource: ResourceName;
  readonly namespace?: string;
  readonly name?: string;
  /** `status` or `scale`; others are answered 404 or 501. */
  readonly subresource?: string;
  readonly patchType?: PatchType;
  readonly options?: RequestOptions;
  /** The body; for a deletion its `DeleteOptions`. */
  readonly body?: unknown;
  /** What only strict validation minds about the text of the body: `duplicate field "spec.replicas"`. */
  readonly textProblems?: readonly string[];
  /**
   * Asked by an update or a patch that is about to create: whoever may change what there is may not for that reason make something
   * new. Throws a StatusError to refuse.
   */
  readonly authorizeCreation?: () => void;
}

/** An answer: an object, a list, or a `Status`. */
export interface ServerResponse {
  /** The HTTP status code. */
  readonly code: number;
  readonly body: JsonObject;
}

/** A watch, as its query says it. */
export interface WatchRequest {
  readonly resource: ResourceName;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Absent or '0': starts with a synthetic ADDED event for every object there is. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly allowWatchBookmarks?: boolean;
  /** Watch-list: the objects there are as ADDED events, then a bookmark with `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean;
}

/** What a watch brings. A bookmark's object has nothing but kind, apiVersion and `metadata.resourceVersion` (and annotations). */
export type ServerEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: ServerObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonObject }
  /** A `Status`; the watch ends with it. */
  | { readonly type: 'ERROR'; readonly object: JsonObject };
