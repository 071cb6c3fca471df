import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** The package of this library, which contains the running code. */
export interface OwnPackage {
  /** The folder of the package. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
}

interface InstalledPackages {
  readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
}

/** The source of the installed package, as in npm's hidden lock file. */
const installedFrom = async ({ root, name }: OwnPackage): Promise<string | undefined> => {
  try {
    const text = await readFile(join(dirname(root), '.package-lock.json'), 'utf8');
    return (JSON.parse(text) as InstalledPackages).packages?.[`node_modules/${name}`]?.resolved;
  } catch {
    // Other package managers do not write this file.
    return undefined;
  }
};

/**
 * The dependency on this package in `package.json` of a new project. The dependency is not always a version, because a registry
 * may have another package of this name.
 *
 * - In a clone, the dependency is the tarball that `npm pack` writes.
 * - If the package was installed from an HTTP address, such as a registry, the dependency is a version.
 * - Otherwise, the dependency is the file from which the package was installed, or the folder of the package.
 *
 * @param folder - absolute path of the project
 * @param own - the package of this library
 * @returns a dependency of `package.json`, such as `file:../cdk8s-reconcile/cdk8s-reconcile-0.1.0.tgz` or `^0.1.0`
 */
export const ownDependency = async (folder: string, own: OwnPackage): Promise<string> => {
  const { root, name, version } = own;
  const local = (path: string): string => `file:${relative(folder, path).replaceAll('\\', '/')}`;
  if (basename(dirname(root)) !== 'node_modules') return local(join(root, `${name}-${version}.tgz`));
  const source = await installedFrom(own);
  if (source?.startsWith('file:')) return local(resolve(root, '../..', source.slice('file:'.length)));
  return source !== undefined && /^https?:/.test(source) ? `^${version}` : local(root);
};
