import type { Cause } from './cause.ts';
import type { WarningEvent } from './causes.ts';
import type { NextPass } from './next-pass.ts';

/** The explanation of an object. */
export interface Explanation {
  readonly object: string;
  readonly isReady: boolean;
  readonly message: string;
  readonly causes: readonly Cause[];
  readonly warnings: readonly WarningEvent[];
  /** The next pass; only for kinds of the project. */
  readonly nextPass?: NextPass;
  /** The next pass of each extension of the kind, by its name. */
  readonly extensions?: Readonly<Record<string, NextPass>>;
  /** The next steps for the user; the most important step comes first. */
  readonly next: readonly string[];
}
