/** One thing that is tried. */
export interface Case {
  readonly title: string;
  /**
   * @returns figures, in a few words
   * @throws {Error} when something is not as it should be
   */
  readonly run: () => Promise<string>;
}

/** What is tried with one real tool; a module in `parts/` exports it as `part`. */
export interface Part {
  /** @returns why it cannot be tried here, such as that Go is missing; undefined when it can */
  readonly lacks: () => Promise<string | undefined>;
  /** One after the other. */
  readonly cases: readonly Case[];
  /** Ends what the cases share, after the last one. @default nothing */
  readonly end?: () => Promise<void>;
}
