/** The metadata that the operations need. Other metadata are passed on unchanged. */
export interface ApiMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp?: string;
}

/**
 * An object of the API server, as JSON. Clients add `apiVersion` and `kind` to items of a list, because the server may omit them.
 */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ApiMeta;
  readonly [field: string]: unknown;
}

/** The names that identify a resource in requests. */
export interface ApiResource {
  /** The version `v1`, or `group/version`. */
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

/** One page of a list. `continueToken` is present when there are more pages. */
export interface ApiPage {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
  readonly continueToken?: string;
}

/** A watch event. A bookmark contains no object, but the resource version that the watch has reached. */
export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: ApiObject }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** Present when all objects have been sent that existed at the request of the watch. */
      readonly endsInitialEvents?: true;
    };

/** Called with the reason when an invalid item or event of the server is left out. Must not throw. */
export type OnRefused = (reason: string) => void;

/** The options of a list; without `namespace`, all namespaces. */
export interface ListOptions {
  readonly namespace?: string;
  /** A selector in the syntax of kubectl, such as `app=web,tier!=db`. */
  readonly labelSelector?: string;
  /**
   * A selector in the syntax of kubectl. Every kind has the field `metadata.name`, and every namespaced kind also has
   * `metadata.namespace`.
   */
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continueToken?: string;
  /**
   * Requests `PartialObjectMetadata` in place of complete objects. A server in memory may send complete objects.
   *
   * @default false
   */
  readonly metadataOnly?: boolean;
  readonly signal?: AbortSignal;
  /** Called for every invalid item, which is left out. @default none */
  readonly onRefused?: OnRefused;
}

/** The start, the filters and the duration of a watch. */
export interface WatchOptions {
  readonly namespace?: string;
  /** A selector in the syntax of kubectl, such as `app=web,tier!=db`. */
  readonly labelSelector?: string;
  /**
   * The resource version at which the watch starts. Without a version, the watch is a watch-list, which is as consistent as a
   * list. A watch-list begins with an ADDED event for each object, and a bookmark with `endsInitialEvents`. Servers without
   * watch-lists respond with 422 or 400, or never send that bookmark.
   */
  readonly resourceVersion?: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Called for every invalid event, which is left out. @default none */
  readonly onRefused?: OnRefused;
  /**
   * Returns the object that the caller already has with this uid and resource version, if there is one. The event may then be
   * delivered as `MODIFIED` with this object, so that the event need not be parsed.
   *
   * @default none
   */
  readonly held?: (state: ApiMeta) => ApiObject | undefined;
}

/** Field manager and dry run of a write. */
export interface WriteOptions {
  readonly fieldManager: string;
  /** Whether the write is a dry run: admission runs, and nothing is stored. @default false */
  readonly dryRun?: boolean;
}

/** Options of an apply. */
export interface ApplyOptions extends WriteOptions {
  /**
   * Whether the apply takes over fields of other managers. If not, such fields make the request fail with 409 and the cause
   * `FieldManagerConflict`.
   */
  readonly force: boolean;
  /** Applies the fields of the status only. @default the main resource */
  readonly subresource?: 'status';
}

/** Options of a patch. The type of the patch is RFC 7386 (`merge`, an object) or RFC 6902 (`json`, a list of operations). */
export interface PatchOptions extends WriteOptions {
  readonly type: 'merge' | 'json';
}

/** Options of a deletion: the preconditions `uid` and `resourceVersion`, and the grace period in seconds. */
export interface DeleteOptions {
  readonly uid: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
}

/**
 * The operations of an API server that the loop uses. The HTTP client implements them, and so does the in-memory server.
 *
 * Every method rejects with `ApiError` when the server responds with an error, and with `ConnectionError` without a valid
 * response.
 */
export interface KubeApi {
  /** One page of objects. The list is consistent: it shows the latest state at the time of the request, or a later state. */
  list(resource: ApiResource, options?: ListOptions): Promise<ApiPage>;
  /**
   * Delivers events to `onEvent`, in order and synchronously with their arrival, until the server closes the watch.
   *
   * Resolves at a regular end, and when `signal` aborts; then no further event is delivered. Rejects with `ApiError` for an error
   * response or an ERROR event in the stream. After 410 with the reason `Expired` or `Gone`, a new list is necessary.
   */
  watch(resource: ApiResource, options: WatchOptions, onEvent: (event: WatchEvent) => void): Promise<void>;
  /** The current state of an object. Rejects with 404 `NotFound` when the object does not exist. */
  get(resource: ApiResource, target: ApiTarget): Promise<ApiObject>;
  /**
   * Creates an object by POST. Rejects with 409 `AlreadyExists` when the object exists, and with 400 or 422 for unknown fields.
   */
  create(
    resource: ApiResource,
    object: object,
    options: WriteOptions & { readonly namespace?: string },
  ): Promise<ApiObject>;
  /**
   * Server-side apply of a complete intent. Fields that the server does not support are refused (400, 422, or 500 for "failed to
   * create typed patch object"). With `metadata.resourceVersion: "1"`, the apply only creates (409 `Conflict` when the object
   * exists). With `metadata.uid`, the apply only changes the object with that uid. The response is 409 when the object does not
   * exist, and 422 when another object has its name. With neither of them, the apply creates or changes.
   */
  apply(resource: ApiResource, target: ApiTarget, object: object, options: ApplyOptions): Promise<ApiObject>;
  /**
   * Patches the main resource. The preconditions are `metadata.uid` and `metadata.resourceVersion` in a merge patch, and `test`
   * in a JSON patch.
   */
  patch(resource: ApiResource, target: ApiTarget, patch: object, options: PatchOptions): Promise<ApiObject>;
  /**
   * Sends a merge patch (RFC 7386) of the status subresource. With `metadata.resourceVersion`, the patch fails with 409
   * `Conflict` when the object has changed, or when another object has its name. `metadata.uid` has no such effect: API servers
   * ignore it in the status of custom resources.
   */
  patchStatus(resource: ApiResource, target: ApiTarget, patch: object, options: WriteOptions): Promise<ApiObject>;
  /**
   * Deletes an object in the background, with preconditions. Resolves with the object if it still exists because of finalizers or
   * the grace period of a pod. Resolves with `undefined` if the object no longer exists. Rejects with 404 `NotFound` if the
   * object did not exist, and with 409 `Conflict` if a precondition fails.
   */
  delete(resource: ApiResource, target: ApiTarget, options: DeleteOptions): Promise<ApiObject | undefined>;
}
