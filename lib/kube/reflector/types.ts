import type { ReconcileError } from '#lib/errors.ts';
import type { ApiObject, ApiResource, KubeApi, WatchEvent, WatchOptions } from '#lib/kube/api.ts';
import type { Timers } from '#lib/kube/timers.ts';
import type { WatchLists } from './watch-list.ts';

/** What a reflector fills. Called in order, never after `stop()`; its methods should not throw. */
export interface ReflectorSink {
  /**
   * Everything there is, as of `resourceVersion`; what is not among the items is gone.
   *
   * @returns a promise when it takes its time; nothing else is called before that has been resolved
   */
  replace(items: readonly ApiObject[], resourceVersion: string): void | Promise<void>;
  /** One change, or a bookmark: nothing happened up to its resource version. */
  event(event: WatchEvent): void;
}

/** What a reflector follows, where to, and on which clock. */
export interface ReflectorOptions {
  readonly api: Pick<KubeApi, 'list' | 'watch'>;
  readonly resource: ApiResource;
  /** @default all namespaces */
  readonly namespace?: string;
  /** As kubectl writes it; what does not match is not there. @default everything */
  readonly labelSelector?: string;
  readonly sink: ReflectorSink;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /**
   * Told of every failure but an expired resource version, and when the next attempt is due, in milliseconds from now (0 when
   * the stream goes on). `ApiError` with 401, 403 and 404 included: rights and definitions may still come. Must not throw.
   */
  readonly onError: (error: ReconcileError, retryInMs: number) => void;
  /**
   * Told why something that the server sent, or an object that `transform` threw on, was left out; once for each reason. Must
   * not throw. @default nobody
   */
  readonly onRefused?: (error: ReconcileError) => void;
  /**
   * Applied to every object on arrival, so that a big list is never in memory as a whole when only parts of its objects are
   * kept. An object that it throws on is left out.
   * @default the identity
   */
  readonly transform?: (object: ApiObject) => ApiObject;
  /** As in `WatchOptions`: what it gives need not have come through `transform`, but must stand it. @default gives none */
  readonly held?: WatchOptions['held'];
  /** The most items in one page of a list, >= 1. @default 250 */
  readonly pageSize?: number;
  /**
   * How long a watch may bring nothing before it counts as dead, in milliseconds; Infinity for any time. Counts once a bookmark
   * was seen, as servers that send any send one each minute. @default 90000
   */
  readonly silenceMs?: number;
  /** Whether to ask for watch-lists; what one reflector learns, all that share it know. @default asks, and learns for itself */
  readonly watchLists?: WatchLists;
}

/** Where a reflector is: JSON, for bug reports and for telling states apart. */
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
   * Makes sure that the sink holds what was there at the moment of this call: ends the watch and lists anew. A list that has
   * not begun yet counts, one under way does not.
   *
   * @returns true when it does; false when the reflector was stopped before. Never rejects.
   */
  refresh(): Promise<boolean>;
  /** Its state at this moment; changes nothing. */
  inspect(): ReflectorState;
  /** Ends it: no request and no call of the sink afterwards. Resolves when nothing is under way. */
  stop(): Promise<void>;
}
