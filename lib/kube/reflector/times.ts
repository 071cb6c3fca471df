/** The number of objects per page. Parsing 250 pods of common size blocks the event loop for about 7 ms. */
export const DEFAULT_PAGE_SIZE = 250;

/** The divisor of the page size after a page that was too large. */
export const PAGE_DIVISOR = 8;

/**
 * The time without data after which a watch counts as silent, in milliseconds. The time is one and a half times the interval of
 * bookmarks (apiserver's pkg/storage/cacher: defaultBookmarkFrequency).
 */
export const DEFAULT_SILENCE_MS = 90_000;

/**
 * The timeout of a watch that should soon get a bookmark, in seconds. The server sends a bookmark two seconds before the end of a
 * watch, so this bookmark comes within 1.5 s.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/cache_watcher.go (`nextBookmarkTime`)
 */
export const PROMPT_SECONDS = 3;

/** The longest duration of a watch with the timeout `PROMPT_SECONDS`, in milliseconds. The server may end the watch late. */
export const PROMPT_LIMIT_MS = 5000;

/** A watch that ends before this share of its requested time counts as interrupted. */
export const EARLY_SHARE = 0.9;

/**
 * The time until a watch-list is requested again after a watch-list that was silent before it was complete, in milliseconds. The
 * server or this process may only have been busy.
 */
export const STALL_MS = 1_800_000;
