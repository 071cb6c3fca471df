import { readFileSync } from 'node:fs';
import { createRandom } from '#test/differential/random.ts';

const SEED = 1;

/** Lines without code that could change: comments, imports, and lines of brackets only. */
const isWithoutCode = (line: string): boolean => /^\s*($|\/?\*|\/\/|import\b|\} from\b|[^\w'"`/]+$)/.test(line);

/**
 * A random choice among all lines of code of some files. The choice depends on the files only.
 *
 * @returns the lines as Stryker expects them, such as `lib/json.ts:12-12`, sorted by file and line
 */
export const sampledLines = (files: readonly string[], count: number): readonly string[] => {
  const all = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((text, index) => (isWithoutCode(text) ? [] : [{ file, line: index + 1 }])),
  );
  const random = createRandom(SEED);
  const chosen = new Set<(typeof all)[number]>();
  while (chosen.size < Math.min(count, all.length)) chosen.add(random.pick(all));
  return all.filter((place) => chosen.has(place)).map(({ file, line }) => `${file}:${line}-${line}`);
};

/** The part of `lib` that has a file, such as `lib/kube`. */
export const roomOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** Whether a place is in one of the files, or of the ranges of lines, that Stryker should change. */
export const isInScope = (sources: readonly string[], file: string, line: number): boolean =>
  sources.some((source) => {
    const [path, range] = source.split(':');
    const [first = 1, last = Infinity] = range?.split('-').map(Number) ?? [];
    return path === file && first <= line && line <= last;
  });
