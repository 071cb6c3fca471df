import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { ApiMeta, ApiPage, KubeApi } from '#lib/kube/interface/api.ts';
import { isNewerVersion } from '#lib/kube/interface/resource-version.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { pause } from '#lib/kube/reflector/pause.ts';
import { TooLargeError } from '#lib/kube/transport/malformed.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import { EVERYTHING } from '#lib/loop/cache/gone-marks.ts';
import { liveGet } from '#lib/loop/cache/live-get.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';

/**
 * The maximum random variation of the interval between audits, up or down, as a share of the interval. controller-runtime varies
 * the intervals of resyncs by the same share.
 */
const JITTER = 0.1;
/** The number of objects per page at first. The metadata of a pod takes about 3 KB of a response. */
const PAGE_SIZE = 250;
const PAGE_DIVISOR = 8;
/** The maximum number of differences of either sort that one audit examines. Later audits find the others. */
const MAX_SUSPECTS = 1000;
/**
 * The delay between two checks, in milliseconds, and the maximum number of checks. A check shows whether the watch has reached
 * the version of the list. Bookmarks come about once a minute.
 */
const CATCH_UP_MS = 10_000;
const CATCH_UP_TRIES = 30;
/** The maximum number of names of objects in a log line. */
const NAMED = 5;

/** Options of {@link Audit}. */
export interface AuditOptions {
  readonly api: Pick<KubeApi, 'list' | 'get'>;
  readonly kind: KindRef;
  readonly cache: ObjectCache;
  /** The namespace of the watch. @default all namespaces */
  readonly namespace?: string | undefined;
  /** The selector of the watch. @default none */
  readonly labelSelector?: string | undefined;
  readonly timers: Timers;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  /** Milliseconds between audits, > 0. */
  readonly intervalMs: number;
  /** Whether the first list is in the cache. Without it, an audit is left out. */
  readonly isFilled: () => boolean;
  /** Lists all objects again, if the operator has no right to `get` the objects. @default each different object is read live */
  readonly relist?: (() => Promise<unknown>) | undefined;
  /** Called after a repair, with some names of repaired or newly listed objects, and the number of all these objects. */
  readonly onRepaired: (names: readonly string[], count: number) => void;
  /** Called when an audit failed. The next audit runs after the usual interval. */
  readonly onSkipped: (error: unknown) => void;
}

interface Findings {
  /**
   * Objects of the list that are absent from the cache, or older there; at most {@link MAX_SUSPECTS}. An object of the same name
   * with another uid counts as absent, unless the cached object is newer.
   */
  readonly missing: readonly ApiMeta[];
  /** Objects of the cache that are not in the list, at most {@link MAX_SUSPECTS}. */
  readonly extra: readonly ApiMeta[];
  readonly resourceVersion: string;
}

const metaOf = ({ name, namespace, uid, resourceVersion }: ApiMeta): ApiMeta => ({
  name,
  ...(namespace !== undefined && { namespace }),
  uid,
  resourceVersion,
});

/**
 * Compares a cache with the API server at an interval, and repairs the cache. The watch should keep the two equal, so a lasting
 * difference shows a bug, usually of this library.
 *
 * Flow: a timer starts a consistent list of metadata, page by page. If there are differences, the audit waits until the watch has
 * passed the version of the list. If the watch does not reach this version in five minutes, the audit ends. Otherwise the audit
 * makes a live get of each object that still differs, and updates the cache. Without the right to `get`, the audit lists all
 * objects again.
 *
 * Guarantees: a change of an object during the audit does not count as a difference. The audit needs memory for one page, for a
 * set of the keys of the cache, and for the metadata of at most 2,000 differences.
 */
export class Audit {
  readonly #options: AuditOptions;
  readonly #stopping = new AbortController();
  #cancelTimer: () => void = () => undefined;
  #pageSize = PAGE_SIZE;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#schedule();
  }

  stop(): void {
    this.#stopping.abort();
    this.#cancelTimer();
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const { timers, random, intervalMs } = this.#options;
    const delayMs = intervalMs * (1 - JITTER + 2 * JITTER * random());
    this.#cancelTimer = timers.setTimer(delayMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    try {
      if (this.#options.isFilled()) await this.#audit();
    } catch (error) {
      if (error instanceof TooLargeError) this.#pageSize = Math.ceil(this.#pageSize / PAGE_DIVISOR);
      if (!this.#isStopped) this.#options.onSkipped(error);
    }
    this.#schedule();
  }

  async #audit(): Promise<void> {
    const { relist, onRepaired } = this.#options;
    const found = await this.#compare();
    if (found.missing.length + found.extra.length === 0 || !(await this.#caughtUp(found.resourceVersion))) return;
    const missing = found.missing.filter((meta) => this.#isMissing(meta));
    const extra = found.extra.filter((meta) => this.#isExtra(meta, found.resourceVersion));
    const names: string[] = [];
    const differences = [...missing, ...extra];
    for (const meta of relist ? [] : differences) {
      if (this.#isStopped) return;
      if (await this.#repair(meta)) names.push(meta.name);
    }
    if (relist && differences.length > 0) {
      await relist();
      names.push(...differences.map(({ name }) => name));
    }
    if (names.length > 0 && !this.#isStopped) onRepaired(names.slice(0, NAMED), names.length);
  }

  async #compare(): Promise<Findings> {
    const { cache, namespace } = this.#options;
    const unlisted = new Set<Key>();
    for (const { metadata } of cache.all()) {
      if (namespace === undefined || metadata.namespace === namespace)
        unlisted.add(keyOf(metadata.namespace, metadata.name));
    }
    const missing: ApiMeta[] = [];
    let page = await this.#page();
    for (;;) {
      for (const { metadata } of page.items) {
        unlisted.delete(keyOf(metadata.namespace, metadata.name));
        if (missing.length < MAX_SUSPECTS && this.#isMissing(metadata)) missing.push(metaOf(metadata));
      }
      if (page.continueToken === undefined) break;
      page = await this.#page(page.continueToken);
    }
    const extra = [...unlisted].slice(0, MAX_SUSPECTS).flatMap((key) => cache.get(key)?.metadata ?? []);
    return { missing, extra: extra.map(metaOf), resourceVersion: page.resourceVersion };
  }

  async #page(continueToken?: string): Promise<ApiPage> {
    const { api, kind, namespace, labelSelector } = this.#options;
    return api.list(kind, {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(continueToken !== undefined && { continueToken }),
      limit: this.#pageSize,
      metadataOnly: true,
      signal: this.#stopping.signal,
    });
  }

  /**
   * Whether the cache lacks a listed object. Under its name, the cache has nothing, an older state, or another object that is not
   * newer.
   */
  #isMissing({ name, namespace, uid, resourceVersion }: ApiMeta): boolean {
    const held = this.#options.cache.get(keyOf(namespace, name))?.metadata;
    if (held === undefined) return true;
    return held.uid === uid
      ? isNewerVersion(resourceVersion, held.resourceVersion)
      : !isNewerVersion(held.resourceVersion, resourceVersion);
  }

  /** Whether the cache still has an object that the list lacks, in a state that is not newer than the list. */
  #isExtra({ name, namespace, uid }: ApiMeta, listedAt: string): boolean {
    const held = this.#options.cache.get(keyOf(namespace, name))?.metadata;
    return held?.uid === uid && !isNewerVersion(held.resourceVersion, listedAt);
  }

  /** @returns false if the watch has not reached the version in time, or if the audit was stopped */
  async #caughtUp(resourceVersion: string): Promise<boolean> {
    const { cache, namespace = EVERYTHING, timers } = this.#options;
    for (let tries = 0; tries < CATCH_UP_TRIES && !this.#isStopped; tries += 1) {
      if (!isNewerVersion(resourceVersion, cache.seenThrough(namespace))) return true;
      await pause(CATCH_UP_MS, timers, this.#stopping.signal);
    }
    return false;
  }

  /**
   * Makes a live get of one object and puts the response into the cache. During the request, the object has a gone mark, so that
   * `overlay` accepts the response. A watch event that comes before the response removes the mark. The response is then ignored,
   * because it may be older than the event.
   *
   * @returns whether the cached state of the object changed
   */
  async #repair(meta: ApiMeta): Promise<boolean> {
    const { api, kind, cache } = this.#options;
    const { namespace = '', name, uid, resourceVersion: version } = meta;
    const stateOf = (): string | undefined => {
      const held = cache.get(keyOf(namespace, name))?.metadata;
      return held?.uid === uid ? held.resourceVersion : undefined;
    };
    const isOwnMark = !cache.gone.has(uid);
    if (isOwnMark) cache.gone.add(uid, { namespace, version, isCertain: false });
    const before = stateOf();
    try {
      await liveGet(api, { kind, cache, namespace, name });
    } finally {
      if (isOwnMark) cache.gone.delete(uid);
    }
    return stateOf() !== before;
  }
}
