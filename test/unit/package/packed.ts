import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackage } from '#apps/package.ts';
import { repository } from '#test/architecture/repository.ts';

const exec = promisify(execFile);

/** The package as it would be published. */
export interface Packed {
  /** What `npm run build` wrote. */
  readonly folder: string;
  readonly tarball: string;
  /** Paths in the tarball, sorted. */
  readonly files: readonly string[];
}

interface PackReport {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Builds and packs the package, without requests to a registry. */
export const packPackage = async (scratch: string): Promise<Packed> => {
  const folder = join(scratch, 'package');
  await buildPackage(folder);
  const args = ['pack', folder, '--offline', '--json', '--pack-destination', scratch];
  const { stdout } = await exec('npm', args, { cwd: scratch, maxBuffer: 16 * 1024 * 1024 });
  const [report] = Object.values(JSON.parse(stdout) as readonly PackReport[] | Readonly<Record<string, PackReport>>);
  if (report === undefined) throw new TypeError(`npm pack reported nothing: ${stdout}`);
  return {
    folder,
    tarball: join(scratch, report.filename),
    files: report.files.map(({ path }) => path).toSorted(),
  };
};

/** Runs a Node program in a folder. @returns its output. @throws with its standard error */
export const runNode = async (folder: string, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await exec(process.execPath, [...args], { cwd: folder });
  return stdout;
};

/**
 * Links a package of this repository into the `node_modules` of a project, as an optional peer that the user installed.
 */
export const link = async (modules: string, name: string): Promise<void> => {
  await mkdir(dirname(join(modules, name)), { recursive: true });
  await symlink(join(repository, 'node_modules', name), join(modules, name));
};

interface Dependencies {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * Makes a user's project in which the package was installed from its tarball.
 *
 * It contains the packages that the manifest requires, and no others of this repository: undeclared and optional dependencies
 * are missing.
 *
 * @param files - contents of the project by path
 */
export const installedIn = async (
  project: string,
  { tarball, files }: { readonly tarball: string; readonly files: Readonly<Record<string, string>> },
): Promise<void> => {
  const modules = join(project, 'node_modules');
  const installed = join(modules, 'cdk8s-reconcile');
  await mkdir(installed, { recursive: true });
  await exec('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Dependencies;
  const isNeeded = (name: string): boolean => manifest.peerDependenciesMeta[name]?.optional !== true;
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(isNeeded);
  await Promise.all([...needed, '@types/node'].map((name) => link(modules, name)));
  for (const [path, text] of Object.entries(files)) await writeFile(join(project, path), text);
};

/** Links the programs of this repository into a project, except for its Node.js, with which npm would run the project. */
export const linkPrograms = async (folder: string): Promise<void> => {
  const [from, to] = [repository, folder].map((root) => join(root, 'node_modules/.bin')) as [string, string];
  await mkdir(to);
  const names = (await readdir(from)).filter((name) => name !== 'node');
  await Promise.all(names.map((name) => symlink(join(from, name), join(to, name))));
};
