import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isReconcileError } from '#lib/errors.ts';
import { keyText } from '#lib/loop/context/key.ts';

const OWN = fileURLToPath(new URL('../../..', import.meta.url));

/** Whether a file belongs to the project of the user, and not to this library or an installed package. */
export const isProjectFile = (path: string): boolean => !path.startsWith(OWN) && !path.includes('/node_modules/');

/** A file and a line number. */
export interface SourceLine {
  readonly path: string;
  readonly line: number;
}

/** The first line of a stack when Node cannot parse a file. */
const HEAD = /^((?:file:\/\/)?\/[^\n]*?):(\d+)(?::\d+)?\n/;
/** A stack frame with a file path. Frames of Node itself, such as `node:internal/…`, do not match. */
const FRAME = /^ {4}at (?:.*\(|async )?((?:file:\/\/)?\/[^()\n]*?):(\d+):\d+\)?$/gm;
const MISSING = /^Cannot find (?:module|package) '([^']+)' imported from (\/.+)$/;

const placeAt = (file: string, line: string): SourceLine => ({
  path: file.startsWith('file:') ? fileURLToPath(file) : file,
  line: Number(line),
});

const importPlace = (importer: string, imported: string): SourceLine => {
  const lines = readFileSync(importer, 'utf8').split('\n');
  const index = lines.findIndex((line) => line.includes(basename(imported)));
  return { path: importer, line: Math.max(0, index) + 1 };
};

/**
 * Finds the source line of an error: a syntax error, a failed import, or the first stack frame in the user's project. Undefined
 * if there is none.
 */
export const sourceLineOf = (error: unknown): SourceLine | undefined => {
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
 * Finds the line of a syntax error with `node --check`, for errors of V8 without a position. Undefined if the check reports
 * another error, or none.
 *
 * @param path - the file that was loaded last
 * @param message - the message of V8
 */
export const syntaxPlaceOf = async (path: string, message: string): Promise<SourceLine | undefined> => {
  const check = promisify(execFile)(process.execPath, ['--check', path]);
  const said = await check.then(
    () => '',
    ({ stderr }: { readonly stderr?: string }) => stderr ?? '',
  );
  const [, file, line] = HEAD.exec(said) ?? [];
  return file !== undefined && line !== undefined && said.includes(message) ? placeAt(file, line) : undefined;
};

/**
 * The first line of an error message; a thrown value that is not an error, as text. In messages of Node, the next lines may show
 * the source.
 */
export const complaintOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);

/** The message of an error in one line. For errors of this library, the line contains all problems of the error. */
const whyOf = (error: unknown): string =>
  isReconcileError(error) ? error.message.replaceAll(/\s+/g, ' ') : complaintOf(error);

/** A failed call, such as a function of a kind, and its error. */
export interface FailedCall {
  /** The call, such as `desired() of Website`. */
  readonly what: string;
  readonly key: string;
  readonly error: unknown;
}

/** The position of an error in the user's project, such as ` (kinds/website.ts:12)`; empty if it is unknown. */
export const placeInWords = (error: unknown, cwd: string): string => {
  const place = sourceLineOf(error);
  return place === undefined ? '' : ` (${shownPath(place.path, cwd)}:${place.line})`;
};

/** Hint for thrown values that are not errors. Such a value has no stack, and so no position. */
const NO_STACK = ' (throw an Error instead: it knows file and line)';

/** A sentence with the failed call, its object, the reason and the position. */
export const failedCallInWords = ({ what, key, error }: FailedCall, cwd: string): string =>
  `${what} failed for ${keyText(key)}: ${whyOf(error)}${error instanceof Error ? placeInWords(error, cwd) : NO_STACK}`;

/** The path of a file relative to the working folder; unchanged if the file is outside of this folder. */
export const shownPath = (path: string, cwd: string): string => {
  const way = relative(cwd, path);
  return way.startsWith('..') ? path : way;
};
