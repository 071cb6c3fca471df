/** The metadata that this folder reads. Other metadata are passed on unchanged. */
export interface ApiMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp?: string;
}

/** An object as the API server sends it: JSON, `apiVersion` and `kind` always present. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ApiMeta;
  readonly [field: string]: unknown;
}

/** The names that identify a resource in requests. */
export interface ApiResource {
  /** `v1` or `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
}

/** One object of a resource. `namespace` is absent, or empty, for cluster-scoped kinds. */
export interface ApiTarget {
  readonly namespace?: string;
  readonly name: string;
}

/** One page of a list. `continueToken` is present when there are more. */
export interface ApiPage {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
  readonly continueToken?: string;
}

/** A watch event. Bookmarks carry nothing but the resource version reached. */
export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: ApiObject }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** All objects that existed at the request of the watch have been sent. */
      readonly endsInitialEvents?: true;
    };

/** Called with the reason when an invalid item or event of the server is left out. Must not throw. */
export type OnRefused = (reason: string) => void;

/** The options of a list; without `namespace`, all namespaces. */
export interface ListOptions {
  readonly namespace?: string;
  /** As kubectl writes it: `app=web,tier!=db`. */
  readonly labelSelector?: string;
  /** As kubectl writes it. Every kind has the fields `metadata.name` and `metadata.namespace`. */
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continueToken?: string;
  /** Requests `PartialObjectMetadata` in place of whole objects; a server in memory may send them whole. @default false */
  readonly metadataOnly?: boolean;
  readonly signal?: AbortSignal;
  /** Called for every invalid item, which is left out. @default none */
  readonly onRefused?: OnRefused;
}

/** Where a watch starts and how long the server should keep it open. */
export interface WatchOptions {
  readonly namespace?: string;
  /** As kubectl writes it: `app=web,tier!=db`. */
  readonly labelSelector?: string;
  /**
   * The resource version at which the watch starts. Without it the watch is a watch-list: it begins with an ADDED event for
   * each object, as consistent as a list, and a bookmark with `endsInitialEvents`. Servers without watch-lists answer 422 or
   * 400, or never send that bookmark.
   */
  readonly resourceVersion?: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Called for every invalid event, which is left out. @default none */
  readonly onRefused?: OnRefused;
  /**
   * Returns the known object if it is already in the given state. An event with that state may be delivered as `MODIFIED` with this
   * object, which saves parsing or reducing it. @default none
   */
  readonly held?: (state: ApiMeta) => ApiObject | undefined;
}

/** Field manager and dry run of a write. */
export interface WriteOptions {
  readonly fieldManager: string;
  /** A dry run, including admission; nothing is stored. @default false */
  readonly dryRun?: boolean;
}

/** How an intent is applied. */
export interface ApplyOptions extends WriteOptions {
  /** Takes fields over from other managers; without it they make the request fail with 409 and cause `FieldManagerConflict`. */
  readonly force: boolean;
  /** Applies the fields of the status only. @default the main resource */
  readonly subresource?: 'status';
}

/** How a patch is written: RFC 7386 (`merge`, an object) or RFC 6902 (`json`, a list of operations). */
export interface PatchOptions extends WriteOptions {
  readonly type: 'merge' | 'json';
}

/** The preconditions of a deletion. */
export interface DeleteOptions {
  readonly uid: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
}

/**
 * The part of the API server that the loop uses. The HTTP client implements it; an in-memory server can, too.
 *
 * Every method rejects with `ApiError` when the server responds with an error and with `ConnectionError` without a response.
 */
export interface KubeApi {
  /** One page of objects, consistent (never served from an older state than the latest at the time of the request). */
  list(resource: ApiResource, options?: ListOptions): Promise<ApiPage>;
  /**
   * Delivers events to `onEvent`, in order and synchronously with their arrival, until the server closes the watch.
   * Resolves at a regular end, also when `signal` aborts; no event comes after that. Rejects with `ApiError` for an error answer or an in-stream ERROR event (reason `Expired` or `Gone`, 410, asks for a new list).
   */
  watch(resource: ApiResource, options: WatchOptions, onEvent: (event: WatchEvent) => void): Promise<void>;
  /** The object as it is now. Rejects with 404 `NotFound` when there is none. */
  get(resource: ApiResource, target: ApiTarget): Promise<ApiObject>;
  /** POST: the object must not exist (409 `AlreadyExists`), and fields that the server does not know are refused (400 or 422). */
  create(
    resource: ApiResource,
    object: object,
    options: WriteOptions & { readonly namespace?: string },
  ): Promise<ApiObject>;
  /**
   * Server-side apply of a complete intent; fields that the server does not know are refused (400, 422, or 500 for "failed to
   * create typed patch object"). With `metadata.resourceVersion: "1"` it only creates (409 `Conflict` when the object exists);
   * with `metadata.uid` it only changes the object with that uid (409 when it is gone, 422 when another has its name); with
   * neither it does both.
   */
  apply(resource: ApiResource, target: ApiTarget, object: object, options: ApplyOptions): Promise<ApiObject>;
  /**
   * Patches the main resource. `metadata.uid` and `metadata.resourceVersion` in a merge patch, `test` in a JSON patch, are preconditions.
   */
  patch(resource: ApiResource, target: ApiTarget, patch: object, options: PatchOptions): Promise<ApiObject>;
  /**
   * Merge patch (RFC 7386) of the status subresource. `metadata.resourceVersion` in the patch makes it fail with 409 `Conflict`
   * when the object has changed, and so for another object of that name. `metadata.uid` does not: API servers ignore it in the
   * status of custom resources.
   */
  patchStatus(resource: ApiResource, target: ApiTarget, patch: object, options: WriteOptions): Promise<ApiObject>;
  /**
   * Background deletion with preconditions. Resolves with the object when it still exists (finalizers, or a pod's grace period)
   * and with `undefined` when it is gone at once. Rejects with 404 `NotFound` when it was gone before, and with 409 `Conflict`
   * when a precondition fails.
   */
  delete(resource: ApiResource, target: ApiTarget, options: DeleteOptions): Promise<ApiObject | undefined>;
}
