import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** This library's own modules. */
const OWN = fileURLToPath(new URL('..', import.meta.url));

/** Whether a file is one that its user writes: neither of this library nor installed. */
export const isProjectFile = (path: string): boolean => !path.startsWith(OWN) && !path.includes('/node_modules/');

/** A line of a file. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

/** What Node puts in front of the stack where a file could not be read as a program. */
const HEAD = /^((?:file:\/\/)?\/[^\n]*?):(\d+)(?::\d+)?\n/;
const FRAME = /^ {4}at .*?((?:file:\/\/)?\/[^\s()]*?):(\d+):\d+\)?$/gm;
const MISSING = /^Cannot find (?:module|package) '([^']+)' imported from (\/.+)$/;

const placeAt = (file: string, line: string): Place => ({
  path: file.startsWith('file:') ? fileURLToPath(file) : file,
  line: Number(line),
});

/** The line of an import; the first when there is none to be seen. */
const importPlace = (importer: string, imported: string): Place => {
  const lines = readFileSync(importer, 'utf8').split('\n');
  return {
    path: importer,
    line:
      Math.max(
        0,
        lines.findIndex((line) => line.includes(basename(imported))),
      ) + 1,
  };
};

/** Where in the files of a project an error is from; undefined when it does not say so. */
export const placeOf = (error: unknown): Place | undefined => {
  if (!(error instanceof Error)) return undefined;
  const stack = error.stack ?? '';
  const [, file, line] = HEAD.exec(stack) ?? [];
  if (file !== undefined && line !== undefined) return placeAt(file, line);
  const [, imported, importer] = MISSING.exec(error.message) ?? [];
  if (imported !== undefined && importer !== undefined) return importPlace(importer, imported);
  return [...stack.matchAll(FRAME)]
    .map(([, at = '', row = '1']) => placeAt(at, row))
    .find(({ path }) => isProjectFile(path));
};

/**
 * Where a file is no JavaScript: for errors of V8 that do not say so themselves.
 *
 * @param path - of the file that was loaded last
 * @param message - what was said of it
 */
export const syntaxPlaceOf = async (path: string, message: string): Promise<Place | undefined> => {
  const check = promisify(execFile)(process.execPath, ['--check', path]);
  const said = await check.then(
    () => '',
    ({ stderr }: { readonly stderr?: string }) => stderr ?? '',
  );
  const [, file, line] = HEAD.exec(said) ?? [];
  return file !== undefined && line !== undefined && said.includes(message) ? placeAt(file, line) : undefined;
};

/** The first line of what went wrong; Node's message may go over many, with an excerpt. */
export const complaintOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);

/** A path as people in a folder would type it. */
export const shownPath = (path: string, cwd: string): string => {
  const way = relative(cwd, path);
  return way.startsWith('..') ? path : way;
};
