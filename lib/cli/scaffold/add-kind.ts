import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import type { Made } from './init.ts';
import { withKind } from './kind-list.ts';
import { checkedGroup, kindNamesOf } from './names.ts';
import { exists, readTemplate, writeNew } from './template.ts';

/** A kind to be added. */
export interface AddKindOptions {
  /** The project. */
  readonly folder: string;
  readonly kind: string;
  /** @default that of the project, in its `package.json` */
  readonly group?: string | undefined;
}

const LIST = 'kinds/index.ts';

interface Manifest {
  readonly 'cdk8s-reconcile'?: { readonly group?: unknown };
}

const manifestOf = async (folder: string): Promise<Manifest> => {
  const path = join(folder, 'package.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined || !(await exists(join(folder, LIST))))
    throw new ConfigurationError(
      `Cannot add a kind in ${folder}: there is no ${text === undefined ? 'package.json' : LIST}; go to a project that cdk8s-reconcile init made, or make one: cdk8s-reconcile init my-operator`,
    );
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw new ConfigurationError(`Cannot read ${path}: it is no JSON; correct it`, { cause: error });
  }
};

const groupOf = (manifest: Manifest): string => {
  const group = manifest['cdk8s-reconcile']?.group;
  if (typeof group === 'string') return group;
  throw new ConfigurationError(
    'Cannot tell the group of the kind: package.json has no "cdk8s-reconcile": { "group": "…" }; add it, or pass --group apps.example.com',
  );
};

/**
 * Adds a kind with its test to a project, and to the list of its kinds.
 *
 * Guarantees: nothing is overwritten but the list, which gets two lines. A mistake is found before anything is written.
 *
 * @throws {ConfigurationError} outside of a project, for a kind that exists, and for names that cannot be used
 */
export const addKind = async (options: AddKindOptions): Promise<Made> => {
  const folder = resolve(options.folder);
  const names = kindNamesOf(options.kind);
  const manifest = await manifestOf(folder);
  const group = checkedGroup(options.group ?? groupOf(manifest));
  const words = { Kind: names.kind, kind: names.constant, file: names.file, group };
  const template = await readTemplate('kind', { words, file: names.file });
  const files = template.map((file) => ({ ...file, path: `kinds/${file.path}` }));
  const listed = withKind(await readFile(join(folder, LIST), 'utf8'), names);
  await writeNew(folder, files);
  await writeFile(join(folder, LIST), listed);
  return { folder, files: [...files.map(({ path }) => path), LIST].toSorted() };
};
