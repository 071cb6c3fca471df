import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '#lib/errors.ts';

/** What stands for a word in the templates, without the underscores around it: `{ Kind: 'Website' }`. */
export type Words = Readonly<Record<string, string>>;

/** A file to be written. */
export interface NewFile {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

const fromPackage = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const WORD = /__([A-Za-z]+)__/g;

const filled = (text: string, words: Words): string => text.replaceAll(WORD, (all, word: string) => words[word] ?? all);

/** npm leaves out, or renames, files that begin with a dot. */
const withDot = (name: string): string => name.replace(/^_(?=(?:gitignore|npmrc|dockerignore)$)/, '.');

/**
 * The files of a template, filled in.
 *
 * @param name - a folder in `templates`
 * @param words - what stands in them
 * @param file - what takes the place of `_kind_` in names of files
 */
export const readTemplate = async (
  name: 'project' | 'kind',
  { words, file = '' }: { readonly words: Words; readonly file?: string },
): Promise<readonly NewFile[]> => {
  const folder = join(fromPackage('templates'), name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const fill = async (path: string): Promise<NewFile> => ({
    path: withDot(path.slice(folder.length + 1)).replace('_kind_', file),
    text: filled(await readFile(path, 'utf8'), words),
  });
  return Promise.all(paths.toSorted().map(fill));
};

/** The version of this package. */
export const ownVersion = async (): Promise<string> => {
  const { version } = JSON.parse(await readFile(fromPackage('package.json'), 'utf8')) as { readonly version: string };
  return version;
};

/** True when there is something at this path. */
export const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Writes files that are not there yet.
 *
 * @throws {ConfigurationError} when one of them is there; then none was written
 */
export const writeNew = async (folder: string, files: readonly NewFile[]): Promise<void> => {
  for (const { path } of files)
    if (await exists(join(folder, path)))
      throw new ConfigurationError(
        `Cannot write ${join(folder, path)}: it exists; move or delete it, or take another name`,
      );
  for (const { path, text } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: 'wx' });
  }
};
