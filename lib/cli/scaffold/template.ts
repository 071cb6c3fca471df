import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '#lib/errors.ts';
import { cannotWrite } from '../shell/write-file.ts';
import type { ScaffoldNames } from './names.ts';
import type { OwnPackage } from './own-source.ts';

/** The values for the placeholders of templates. `{ Kind: 'Website' }` has the value for `__Kind__`. */
export type Words = Readonly<Record<string, string>>;

/** A file to write. */
export interface NewFile {
  /** The path, relative to the root of the project. */
  readonly path: string;
  readonly text: string;
}

const fromPackage = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const WORD = /__([A-Za-z]+)__/g;

const filled = (text: string, words: Words): string => text.replaceAll(WORD, (all, word: string) => words[word] ?? all);

/** Restores the leading dot of a file name. Names of templates have no leading dot, because npm drops or renames such files. */
const withDot = (name: string): string => name.replace(/^_(?=(?:gitignore|npmrc|dockerignore)$)/, '.');

/**
 * Reads the files of a template and fills in the placeholders.
 *
 * @param name - a folder in `templates`
 * @param words - values of the placeholders
 * @param file - replacement for `_kind_` in file names
 */
export const readTemplate = async (
  name: 'project' | 'kind' | `gitops-${GitOpsTool}`,
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

/** The GitOps tools that have templates. */
export const GITOPS_TOOLS = ['flux', 'argocd'] as const;

/** One of {@link GITOPS_TOOLS}. */
export type GitOpsTool = (typeof GITOPS_TOOLS)[number];

/** Scopes of a kind. */
export const SCOPES = ['Namespaced', 'Cluster'] as const;

/** One of {@link SCOPES}. */
export type KindScope = (typeof SCOPES)[number];

/** The options of a new kind. */
export interface KindChoice {
  readonly group: string;
  /** @default Namespaced */
  readonly scope?: KindScope | undefined;
}

/** Makes the files of a new kind: its definition and its test. */
export const readKind = async (
  { kind, constant, file }: ScaffoldNames,
  { group, scope = 'Namespaced' }: KindChoice,
): Promise<readonly NewFile[]> => {
  // A cluster-scoped resource must name the namespace of its children.
  const inNamespace = scope === 'Cluster' ? ", namespace: 'default'" : '';
  const words = { Kind: kind, kind: constant, file, group, scope, inNamespace };
  const files = await readTemplate('kind', { words, file });
  return files.map((each) => ({ ...each, path: `kinds/${each.path}` }));
};

/** Finds the package of this library, in a clone or in an installation. */
export const ownPackage = async (): Promise<OwnPackage> => {
  const path = fromPackage('package.json');
  const { name, version } = JSON.parse(await readFile(path, 'utf8')) as Pick<OwnPackage, 'name' | 'version'>;
  return { root: dirname(path), name, version };
};

/** The version of this library. */
export const ownVersion = async (): Promise<string> => (await ownPackage()).version;

/** Whether a path exists. */
export const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Creates a folder and its parents one by one. The recursive `mkdir` of Node.js never returns in a folder such as `/proc`, where
 * each attempt fails with ENOENT.
 */
const makeFolder = async (path: string, isLastTry = false): Promise<void> => {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (isLastTry || code !== 'ENOENT' || (await exists(dirname(path)))) throw cannotWrite(path, error, 'folder');
    await makeFolder(dirname(path));
    await makeFolder(path, true);
  }
};

/**
 * Writes files. Existing files are replaced; with the flag `wx`, they are errors.
 *
 * @throws {ConfigurationError} with the reason when a file cannot be written
 */
export const writeAll = async (folder: string, files: readonly NewFile[], flag: 'w' | 'wx' = 'w'): Promise<void> => {
  for (const { path, text } of files) {
    const file = join(folder, path);
    await makeFolder(dirname(file));
    await writeFile(file, text, { flag }).catch((cause: unknown) => {
      throw cannotWrite(file, cause);
    });
  }
};

/**
 * Writes new files.
 *
 * @throws {ConfigurationError} when one of the files exists; in this case, no file is written. Also with the reason when a file
 *   cannot be written
 */
export const writeNew = async (folder: string, files: readonly NewFile[]): Promise<void> => {
  for (const { path } of files)
    if (await exists(join(folder, path)))
      throw new ConfigurationError(
        `Cannot write ${join(folder, path)}: it exists; move or delete it, or take another name`,
      );
  await writeAll(folder, files, 'wx');
};
