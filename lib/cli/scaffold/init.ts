import { readdir } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { checkedGroup, checkedProject, kindNamesOf } from './names.ts';
import { ownVersion, readTemplate, writeNew } from './template.ts';

/** A project to be made. */
export interface InitOptions {
  /** Where; it must be empty, or not exist. */
  readonly folder: string;
  /** @default that of the folder */
  readonly name?: string | undefined;
  /** The first kind. */
  readonly kind: string;
  readonly group: string;
}

/** What was made. */
export interface Made {
  readonly folder: string;
  /** Paths in the folder. */
  readonly files: readonly string[];
}

/** A repository that was just made is empty, too. */
const contentOf = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).filter((name) => name !== '.git');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR')
      throw new ConfigurationError(`Cannot make a project in ${folder}: it is a file; name a folder`, { cause: error });
    throw error;
  }
};

/**
 * Makes a project: a kind with its test, a chart, the operator's process, a Dockerfile, and what belongs to it.
 *
 * Guarantees: nothing is overwritten. A mistake is found before anything is written.
 *
 * @throws {ConfigurationError} when the folder is not empty, or a name cannot be used
 */
export const initProject = async (options: InitOptions): Promise<Made> => {
  const folder = resolve(options.folder);
  const names = kindNamesOf(options.kind);
  const group = checkedGroup(options.group);
  const project = checkedProject(options.name ?? basename(folder));
  const found = await contentOf(folder);
  if (found.length > 0)
    throw new ConfigurationError(
      `Cannot make a project in ${folder}: it is not empty (${found.toSorted().slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}); name a new folder: cdk8s-reconcile init my-operator`,
    );
  const words = {
    Kind: names.kind,
    kind: names.constant,
    kindlower: names.kind.toLowerCase(),
    file: names.file,
    group,
    project,
    version: await ownVersion(),
  };
  const files = [
    ...(await readTemplate('project', { words })),
    ...(await readTemplate('kind', { words, file: names.file })).map((file) => ({
      ...file,
      path: `kinds/${file.path}`,
    })),
  ];
  await writeNew(folder, files);
  return { folder, files: files.map(({ path }) => path).toSorted() };
};
