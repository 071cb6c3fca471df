import type { ReconcileError } from '#lib/errors.ts';
import type { ApiObject, ApiResource, KubeApi, WatchEvent, WatchOptions } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { WatchLists } from './watch-list.ts';

/** The receiver of lists and events. Its methods are called in order, never after `stop()`, and should not throw. */
export interface ReflectorSink {
  /** Called when a request for all objects begins. `replace` follows, unless the request fails or the reflector is stopped. */
  begins?(): void;
  /**
   * Called with the complete list as of `resourceVersion`. Objects that are not in the list no longer exist.
   *
   * @returns a promise if the sink needs time; no other method is called before the promise is resolved
   */
  replace(items: readonly ApiObject[], resourceVersion: string): void | Promise<void>;
  /** Called for each change, and for each bookmark, which shows that there were no other changes up to its resource version. */
  event(event: WatchEvent): void;
  /**
   * Called when a watch or list failed, except by the refusal of a watch-list, or when a watch ended early. From then until the
   * next list or event with an object, it is unknown whether the object still exists.
   */
  brokeOff?(): void;
}

/** The resource, the sink and the clock of a reflector. */
export interface ReflectorOptions {
  readonly api: Pick<KubeApi, 'list' | 'watch'>;
  readonly resource: ApiResource;
  /** The namespace of the objects. @default all namespaces */
  readonly namespace?: string;
  /** A selector in the syntax of kubectl. Objects that do not match are left out. @default all objects */
  readonly labelSelector?: string;
  readonly sink: ReflectorSink;
  readonly timers: Timers;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  /**
   * Called for every failure except an expired resource version, a refused watch-list, a watch-list that becomes silent before it
   * is complete, and a watch that is silent from its beginning. `retryInMs` is the delay before the next attempt, or 0 when the
   * stream continues. `ApiError` with 401, 403 and 404 is reported and retried like other failures, because rights and
   * CustomResourceDefinitions may be added later. Must not throw.
   */
  readonly onError: (error: ReconcileError, retryInMs: number) => void;
  /**
   * Called when an invalid item of the server is left out, or an object for which `transform` threw. Called once for each reason.
   * Must not throw.
   *
   * @default none
   */
  readonly onRefused?: (error: ReconcileError) => void;
  /**
   * Applied to every object on arrival, except for a deleted one. If the result is smaller than the object, a large list is never
   * completely in memory. An object for which `transform` throws is left out.
   *
   * @default the identity
   */
  readonly transform?: (object: ApiObject) => ApiObject;
  /**
   * See `WatchOptions.held`. The returned objects need not be transformed again, but `transform` must accept them.
   *
   * @default no objects
   */
  readonly held?: WatchOptions['held'];
  /** The largest number of objects in one page of a list, >= 1. @default 250 */
  readonly pageSize?: number;
  /**
   * The time of silence after which a watch counts as dead, in milliseconds; Infinity for no limit. The limit applies once the
   * server has sent a bookmark, because such servers send one each minute. Until a watch-list has sent all objects, the limit is
   * at most 30 s.
   *
   * @default 90000
   */
  readonly silenceMs?: number;
  /**
   * Whether the server supports watch-lists. Reflectors can share one object, so that only one of them requests a watch-list in
   * vain.
   * @default an object for this reflector alone
   */
  readonly watchLists?: WatchLists;
}

/** The state of a reflector as JSON, for bug reports and for comparing states. */
export interface ReflectorState {
  /** The resource version at which the next watch starts; absent when a complete list is necessary first. */
  readonly resourceVersion?: string;
  /** Upper bound of the delay after the next failure, in milliseconds. */
  readonly nextBackoffMs: number;
}

/** A running list and watch. */
export interface Reflector {
  /** Resolves with true once the sink has been filled; with false when the reflector was stopped before. Never rejects. */
  readonly synced: Promise<boolean>;
  /**
   * Waits until the sink has all changes up to a moment. A list that began after that moment suffices. Otherwise the reflector
   * requests the current version of the server. The reflector then makes a short watch, so that the server sends a bookmark
   * within some seconds. The bookmark shows whether the watch has reached that version, without a list. If the version is not
   * available, all objects are listed again.
   *
   * @param sinceMs - the moment, by `Timers.elapsed`
   * @returns true when the sink has the changes; false when the reflector was stopped before. Never rejects.
   */
  catchUp(sinceMs: number): Promise<boolean>;
  /**
   * Lists all objects again, in any state of the watch.
   *
   * @param options - `isRestored`: the storage of the server was restored, so an older list is accepted at once. @default false
   * @returns true when the sink has the list; false when the reflector was stopped before. Never rejects.
   */
  relist(options?: { readonly isRestored?: boolean }): Promise<boolean>;
  /** The current state of the reflector. */
  inspect(): ReflectorState;
  /** Stops the reflector: it makes no further request and no further call of the sink. Resolves when no request is running. */
  stop(): Promise<void>;
}
