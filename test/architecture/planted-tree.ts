import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A temporary tree on disk. */
export interface PlantedTree extends AsyncDisposable {
  readonly root: string;
}

/** Writes files into a new folder that has the package.json and the installed packages of the repository. */
export const plantTree = async (repository: string, files: Readonly<Record<string, string>>): Promise<PlantedTree> => {
  const root = await mkdtemp(join(tmpdir(), 'planted-'));
  await cp(join(repository, 'package.json'), join(root, 'package.json'));
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
};
