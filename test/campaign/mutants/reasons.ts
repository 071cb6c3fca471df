import { readFileSync } from 'node:fs';
import type { Survivor } from '#test/campaign/part.ts';

/** Why no test is needed for some mutants. */
export interface MutantReason {
  readonly file: string;
  /** The name that Stryker gives to the type of the change. @default all types */
  readonly mutator?: string;
  /** The code before the change, as in the list of survivors. */
  readonly code: string;
  /** The code after the change. @default any code */
  readonly changed?: string;
  /** The reason in one sentence. */
  readonly reason: string;
}

const file = new URL('reasons.json', import.meta.url);

/** The committed reasons. They name code and not lines, so that they stay valid when the lines of a file move. */
export const mutantReasons = (): readonly MutantReason[] =>
  JSON.parse(readFileSync(file, 'utf8')) as readonly MutantReason[];

/** The reason why no test is needed for a mutant; undefined if there is none. */
export const reasonFor = (survivor: Survivor, reasons: readonly MutantReason[]): string | undefined =>
  reasons.find(
    (one) =>
      survivor.at.startsWith(`${one.file}:`) &&
      one.code === survivor.code &&
      (one.mutator === undefined || one.mutator === survivor.mutator) &&
      (one.changed === undefined || one.changed === survivor.changed),
  )?.reason;
