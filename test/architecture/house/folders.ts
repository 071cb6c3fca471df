import type { Finding, TextFile } from './finding.ts';

const MAX_ENTRIES = 15;

/** Folders that may show more, and why. Folders of `test` are not judged: each shows what it tests, file by file. */
export const wideByDesign: Readonly<Record<string, string>> = {
  lib: 'one folder per room, and the doors',
  'lib/cli/verbs': 'one folder per verb',
  apps: 'one file and one folder per program',
};

/** Every folder on the way to a file, with its entry: `lib/kind/a.ts` → `lib`: `kind`, `lib/kind`: `a.ts`. */
const entriesOf = (path: string): readonly (readonly [folder: string, entry: string])[] => {
  const parts = path.split('/');
  return parts.slice(1).map((entry, index) => [parts.slice(0, index + 1).join('/'), entry]);
};

/** Folders that show more entries, files and folders together, than can be taken in at one look. */
export const wideFolders = (
  files: readonly TextFile[],
  exceptions: Readonly<Record<string, string>> = {},
): readonly Finding[] => {
  const shown = new Map<string, Set<string>>();
  for (const [folder, entry] of files.flatMap(({ path }) => entriesOf(path))) {
    shown.set(folder, (shown.get(folder) ?? new Set()).add(entry));
  }
  return [...shown].flatMap(([folder, { size }]) =>
    size <= MAX_ENTRIES || folder in exceptions ? [] : [`${folder}: ${size} entries, at most ${MAX_ENTRIES}`],
  );
};
