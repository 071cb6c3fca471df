/** One test of a part. */
export interface Case {
  readonly title: string;
  /** Runs beside the others: it waits most of its time, and shares nothing with them. @default false */
  readonly isBeside?: boolean;
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
  /** Run one after the other, except for those beside the others. */
  readonly cases: readonly Case[];
  /** Releases what the cases share, after the last one. @default none */
  readonly end?: () => Promise<void>;
}
