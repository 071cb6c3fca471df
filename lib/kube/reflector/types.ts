import type { ReconcileError } from '#lib/errors.ts';
import type { ApiObject, ApiResource, KubeApi, WatchEvent, WatchOptions } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { WatchLists } from './watch-list.ts';

/** The target of a reflector. Called in order, never after `stop()`; its methods should not throw. */
export interface ReflectorSink {
  /** A request for everything there is begins; `replace` follows unless it fails. */
  begins?(): void;
  /**
   * The complete list as of `resourceVersion`; objects that are not in it are gone.
   *
   * @returns a promise when it takes its time; nothing else is called before that has been resolved
   */
  replace(items: readonly ApiObject[], resourceVersion: string): void | Promise<void>;
  /** One change, or a bookmark: nothing happened up to its resource version. */
  event(event: WatchEvent): void;
  /** A watch or list failed, or ended before its time: until the next event of an object it is not known whether it is still there. */
  brokeOff?(): void;
}

/** The resource, the sink and the clock of a reflector. */
export interface ReflectorOptions {
  readonly api: Pick<KubeApi, 'list' | 'watch'>;
  readonly resource: ApiResource;
  /** @default all namespaces */
  readonly namespace?: string;
  /** In the notation of kubectl; objects that do not match are left out. @default everything */
  readonly labelSelector?: string;
  readonly sink: ReflectorSink;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /**
   * Called for every failure but an expired resource version, with the delay of the next attempt in milliseconds (0 when the stream
   * continues). Includes `ApiError` with 401, 403 and 404, because rights and definitions may still appear. Must not throw.
   */
  readonly onError: (error: ReconcileError, retryInMs: number) => void;
  /**
   * Called once for each reason for which an item of the server, or an object for which `transform` threw, is left out. Must
   * not throw.
   *
   * @default none
   */
  readonly onRefused?: (error: ReconcileError) => void;
  /**
   * Applied to every object on arrival, so that a large list is never completely in memory when only parts of its objects are
   * kept. An object for which it throws is left out.
   *
   * @default the identity
   */
  readonly transform?: (object: ApiObject) => ApiObject;
  /** As in `WatchOptions`: its results need not be transformed, but `transform` must accept them. @default gives none */
  readonly held?: WatchOptions['held'];
  /** The most items in one page of a list, >= 1. @default 250 */
  readonly pageSize?: number;
  /**
   * How long a watch may be silent before it counts as dead, in milliseconds; Infinity for any time. It applies after the first
   * bookmark, because servers that send bookmarks send one each minute. @default 90000
   */
  readonly silenceMs?: number;
  /** Whether to use watch-lists; reflectors with the same one share its knowledge. @default tries them, and learns for itself */
  readonly watchLists?: WatchLists;
}

/** Where a reflector is: JSON, for bug reports and for comparing states. */
export interface ReflectorState {
  /** Where the next watch starts; absent when everything has to be read first. */
  readonly resourceVersion?: string;
  /** Upper bound of the delay after the next failure, in milliseconds. */
  readonly nextBackoffMs: number;
}

/** A running list and watch. */
export interface Reflector {
  /** True once the sink has been filled for the first time; false when the reflector was stopped before. Never rejects. */
  readonly synced: Promise<boolean>;
  /**
   * Ensures that the sink has the state of a moment. A list that was read since then suffices. Otherwise the server is asked
   * for its current version, and the watch is made to send a bookmark within some seconds, which shows whether it has reached
   * that version; no list is read. When the server sends no version, everything is read again.
   *
   * @param sinceMs - the moment, by `Timers.elapsed`
   * @returns true when it does; false when the reflector was stopped before. Never rejects.
   */
  catchUp(sinceMs: number): Promise<boolean>;
  /**
   * Reads everything again, whatever the state of the watch.
   *
   * @param options - `isRestored`: the storage of the server was restored, so an older list is accepted at once. @default false
   * @returns true when the sink holds it; false when the reflector was stopped before. Never rejects.
   */
  relist(options?: { readonly isRestored?: boolean }): Promise<boolean>;
  /** Its state at this moment; changes nothing. */
  inspect(): ReflectorState;
  /** Ends it: no request and no call of the sink afterwards. Resolves when nothing is under way. */
  stop(): Promise<void>;
}
