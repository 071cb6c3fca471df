/** How often a child was corrected of late, in the same fields. */
export interface Fight {
  readonly kind: string;
  readonly name: string;
  /** Corrections of late; they are forgotten one after the other. */
  readonly level: number;
  /** Since when they are forgotten, in epoch milliseconds. */
  readonly at: number;
  /** How often in a row the fields were left alone. */
  readonly rounds: number;
  /** Until when they are left alone, in epoch milliseconds; absent while they are corrected. */
  readonly notBefore: number | undefined;
  /** Who changes what; empty while nobody is accused. */
  readonly text: string;
}
