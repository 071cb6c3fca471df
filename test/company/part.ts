/** One test of a part. */
export interface Case {
  readonly title: string;
  /**
   * @returns figures, in a few words
   * @throws {Error} when a check fails
   */
  readonly run: () => Promise<string>;
}

/** Tests with one real tool; a module in `parts/` exports them as `part`. */
export interface Part {
  /** @returns why they cannot run here, such as that Go is missing; undefined when they can */
  readonly lacks: () => Promise<string | undefined>;
  /** Run one after the other. */
  readonly cases: readonly Case[];
  /** Releases what the cases share, after the last one. @default none */
  readonly end?: () => Promise<void>;
}
