/** What a cache holds, in the order in which it came: JSON, for bug reports and for telling states apart. */
export interface CacheState {
  /** By key: `uid@resourceVersion`. */
  readonly objects: Readonly<Record<string, string>>;
  /** Known to be gone before the watch tells, with the last version that was known: `uid@resourceVersion`. */
  readonly gone: readonly string[];
  readonly seenThrough: string;
}
