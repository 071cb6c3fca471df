/** One test of a part. */
export interface Case {
  readonly title: string;
  /**
   * Whether the case runs beside the others: it waits for most of its time, and shares nothing with other cases. @default false
   */
  readonly isBeside?: boolean;
  /**
   * @returns figures, in a few words
   * @throws {Error} when a check fails
   */
  readonly run: () => Promise<string>;
}

/** Tests with one real tool; a module in `parts/` exports them as `part`. */
export interface Part {
  /** @returns why the tests cannot run on this machine, such as that Go is missing; undefined when they can */
  readonly lacks: () => Promise<string | undefined>;
  /** The tests. Those without `isBeside` run one after the other. */
  readonly cases: readonly Case[];
  /** Releases what the cases share, after the last one. @default none */
  readonly end?: () => Promise<void>;
}
