import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The fields of the metafile of esbuild that this module reads: the source files of each output, and their sizes in the output.
 */
interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

/** The content of a bundle, and the folder of its packages. */
export interface SbomInput {
  readonly metafile: Metafile;
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** The folder that the paths in the metafile are relative to. It contains `package.json` and `package-lock.json`. */
  readonly root: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

const readJson = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T;

/** Matches the folder of a package: `node_modules/a/node_modules/@b/c` in `node_modules/a/node_modules/@b/c/d.js`. */
const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

const bundledFolders = ({ outputs }: Metafile): readonly string[] => {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (packageFolder.exec(path) ?? []) : [],
  );
  return [...new Set(folders)].toSorted();
};

/** @see https://github.com/package-url/purl-spec */
const purlOf = ({ name, version }: Manifest): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** Converts a hash of the lock file, `sha512-` and base64, to the hexadecimal digits of CycloneDX. */
const hashesOf = (integrity: string | undefined): object => {
  const [, base64] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
  return base64 === undefined
    ? {}
    : { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] };
};

/** The license of a package. CycloneDX has another field for an expression such as `(Apache-2.0 AND BSD-3-Clause)`. */
const licensesOf = (license: string | undefined): object => {
  if (license === undefined) return {};
  return { licenses: [/\s/.test(license) ? { expression: license } : { license: { id: license } }] };
};

const componentOf = (type: string, manifest: Manifest): object => ({
  type,
  'bom-ref': purlOf(manifest),
  name: manifest.name,
  version: manifest.version,
  ...licensesOf(manifest.license),
  purl: purlOf(manifest),
});

const fileOf = ([name, contents]: readonly [string, Uint8Array]): object => ({
  type: 'file',
  'bom-ref': `file:${name}`,
  name,
  hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(contents).digest('hex') }],
});

/**
 * Makes the software bill of materials of a bundle: its files, and the packages with code in the bundle.
 *
 * Guarantees: the same bundle gives the same bytes, because the result contains no time and no random number.
 *
 * @returns CycloneDX 1.6 as JSON
 * @see https://cyclonedx.org/docs/1.6/json/
 */
export const sbomOf = async ({ metafile, files, root }: SbomInput): Promise<string> => {
  const [own, lock] = await Promise.all([
    readJson<Manifest>(join(root, 'package.json')),
    readJson<Lock>(join(root, 'package-lock.json')),
  ]);
  const packageIn = async (folder: string): Promise<object> => ({
    ...componentOf('library', await readJson<Manifest>(join(root, folder, 'package.json'))),
    ...hashesOf(lock.packages[folder]?.integrity),
  });
  const components = await Promise.all(bundledFolders(metafile).map(packageIn));
  const contents = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...componentOf('application', own), components: contents.map(fileOf) } },
    components,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
};
