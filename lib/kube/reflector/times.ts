/** Items per page. Parsing 250 pods of common size takes about 7 ms, and the event loop must not stall. */
export const DEFAULT_PAGE_SIZE = 250;

/** Divisor of the page size after a page that is too large. */
export const PAGE_DIVISOR = 8;

/** Time without data after which a watch counts as silent: one and a half times the interval of bookmarks (apiserver's pkg/storage/cacher: defaultBookmarkFrequency). */
export const DEFAULT_SILENCE_MS = 90_000;

/**
 * Duration of a watch that prompts a bookmark. The server sends one two seconds before the agreed end, so within 1.5 s here.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/cache_watcher.go (`nextBookmarkTime`)
 */
export const PROMPT_SECONDS = 3;

/** Maximum wait for a server that does not keep the agreed end, in milliseconds. */
export const PROMPT_LIMIT_MS = 5000;

/** A watch that ends before this share of its time was cut off. */
export const EARLY_SHARE = 0.9;

/** Time until a watch-list is tried again after an incomplete one, in milliseconds. The server or this process may have been busy. */
export const STALL_MS = 1_800_000;
