import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** This package and its folder. */
export interface OwnPackage {
  /** Its folder. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
}

interface InstalledPackages {
  readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
}

/** The source of the installed package, from npm's hidden lock file. */
const installedFrom = async ({ root, name }: OwnPackage): Promise<string | undefined> => {
  try {
    const text = await readFile(join(dirname(root), '.package-lock.json'), 'utf8');
    return (JSON.parse(text) as InstalledPackages).packages?.[`node_modules/${name}`]?.resolved;
  } catch {
    // Another package manager has no such file.
    return undefined;
  }
};

/**
 * The dependency of a new project that makes npm install this same package. A registry may hold another package of this name.
 *
 * For a clone it is the tarball that `npm pack` writes; for an installed package its own source; a version only for a package that
 * came from a registry.
 *
 * @param folder - absolute path of the project
 * @param own - the running package
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
