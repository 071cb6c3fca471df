import type { DecidedPass, WrittenChild } from '#lib/loop/pass/decision.ts';
import type { Key } from './key.ts';

/** A function of a kind, or a pass of the loop, that failed for one resource. */
export interface PassFailure {
  /** The failed part, such as `desired() of Runner`, or `a pass of Runner`. A failed pass is a bug of the loop. */
  readonly what: string;
  readonly key: Key;
  readonly error: unknown;
}

/** Functions that observe passes. They must be quick, must not throw, and must not change anything. */
export interface PassHooks {
  /** Called for each error that a function or a pass throws, and for each result with an invalid form. */
  readonly onFailure?: (failure: PassFailure) => void;
  /** Called for each {@link WrittenChild}. */
  readonly onChildWritten?: (write: WrittenChild) => void;
  /** Called for each {@link DecidedPass}, before its writes. */
  readonly onDecision?: (decision: DecidedPass) => void;
}
