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
  /** The next pass of each extension of the kind, by the name of the extension. */
  readonly extensions?: Readonly<Record<string, NextPass>>;
  /** The next steps for the user, in the order of `causes`. */
  readonly next: readonly string[];
}
