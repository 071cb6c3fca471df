/** The input of the checks: path from the root of the repository, and contents. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** One violation as text, `path:line: what`. */
export type Finding = string;

/** Judges one file. */
export type Check = (file: TextFile) => readonly Finding[];

/** The line of an offset in UTF-16 units, from 1. */
const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Formats a finding with its position. */
export const findingAt = ({ path, text }: TextFile, offset: number, what: string): Finding =>
  `${path}:${lineOf(text, offset)}: ${what}`;
