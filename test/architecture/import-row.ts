/** Which built-in modules of Node a row may import: none, all, or those named (without `node:`). */
export type Builtins = 'none' | 'all' | readonly string[];

/** One row: a set of files, and all that these files may import besides each other. Other imports are forbidden. */
export interface Row {
  /** Regular expression over paths from the root of the repository. */
  readonly files: string;
  /** Names of other rows. */
  readonly rows: readonly string[];
  /** npm packages. */
  readonly packages: readonly string[];
  /** npm packages of which only types may be imported, with `import type`. */
  readonly types: readonly string[];
  readonly builtins: Builtins;
  /** The reason for the row, shown with every violation. */
  readonly reason: string;
}

/** A row that allows only the given imports. */
export const row = (files: string, reason: string, allowed: Partial<Row> = {}): Row => ({
  rows: [],
  packages: [],
  types: [],
  builtins: 'none',
  ...allowed,
  files,
  reason,
});

/**
 * CEL by Buf: it runs the conformance tests of the specification. The regular expressions of CEL are RE2, so no expression can
 * take exponential time.
 */
export const celLibrary: readonly string[] = [
  '@bufbuild/cel',
  '@bufbuild/cel-spec',
  '@bufbuild/protobuf',
  '@bufbuild/re2',
];
