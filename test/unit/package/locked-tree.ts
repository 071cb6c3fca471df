import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '#test/architecture/repository.ts';

/** An entry of `package-lock.json`, as far as it is read here. */
export interface LockedPackage {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly hasInstallScript?: boolean;
  readonly deprecated?: string;
}

/** Packages by their folder below the root of the project. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** The packages that npm installs with a package: its dependencies, and its required peers. */
const neededBy = ({
  dependencies,
  optionalDependencies,
  peerDependencies = {},
  peerDependenciesMeta = {},
}: LockedPackage): readonly string[] => [
  ...Object.keys({ ...dependencies, ...optionalDependencies }),
  ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
];

/** The folder in which Node finds a package that is imported from a folder: the nearest `node_modules` upwards. */
const resolved = (packages: LockedPackages, from: string, name: string): string | undefined => {
  const here = join(from, 'node_modules', name);
  if (here in packages) return here;
  const above = from.lastIndexOf('node_modules/');
  return from === '' || above < 0 ? undefined : resolved(packages, from.slice(0, above).replace(/\/$/, ''), name);
};

/**
 * The packages of an installation, in the versions of this repository's lock file.
 *
 * Caveats: a fresh installation uses the newest matching versions, and places them differently; see the test of the
 * soak.
 *
 * @param roots - the installed packages
 * @returns by folder
 */
export const lockedTree = async (roots: readonly string[]): Promise<LockedPackages> => {
  const text = await readFile(join(repository, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: LockedPackages };
  const found = new Map<string, LockedPackage>();
  const add = (from: string, name: string): void => {
    const path = resolved(packages, from, name);
    const entry = path === undefined ? undefined : packages[path];
    if (path === undefined || entry === undefined || found.has(path)) return;
    found.set(path, entry);
    for (const needed of neededBy(entry)) add(path, needed);
  };
  for (const root of roots) add('', root);
  return Object.fromEntries(found);
};
