import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { sbomOf } from './bundle/sbom.ts';
import { undiciCore } from './bundle/undici-core.ts';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** CommonJS packages load built-in modules by `require`, which ES modules do not have. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const SBOM = 'sbom.cdx.json';

/**
 * Escapes all non-ASCII characters. If a source has a character above U+00FF, V8 stores the whole source with two bytes per
 * character. esbuild escapes these characters only in strings, and not in comments, keys and regular expressions.
 */
const ascii = (text: string): Buffer =>
  Buffer.from(text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`));

/**
 * Bundles the operator into a few files, for a container image. `operator.mjs` is the entry point, and `worker.mjs` is the
 * entry point of the guardian. `sbom.cdx.json` lists the files and the packages in them.
 *
 * Guarantees: the same source gives the same bytes, whatever the folder of the repository is.
 *
 * Caveats: `@kubernetes/client-node` is not included. It runs the credential plugins of kubeconfigs, and is never loaded in a
 * pod.
 *
 * @param folder - the target; its content is removed
 * @returns the sizes of the files, in bytes, by name
 */
export const bundleOperator = async (folder: string): Promise<Readonly<Record<string, number>>> => {
  const entryPoints = { operator: fromRoot('apps/operator.ts'), worker: fromRoot('lib/loop/guardian/worker.ts') };
  const { outputFiles, metafile } = await build({
    absWorkingDir: fromRoot('.'),
    banner: { js: REQUIRE },
    bundle: true,
    entryPoints,
    external: ['@kubernetes/client-node'],
    format: 'esm',
    // License comments are in a separate file, because they contain names with non-ASCII characters (see `ascii`).
    legalComments: 'external',
    logLevel: 'warning',
    metafile: true,
    minifySyntax: true,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    // If `node_modules` is a symbolic link, the resolved paths of packages are not below the root.
    preserveSymlinks: true,
    plugins: [undiciCore],
    // The code that reads kubeconfig files is a separate file, because it imports client-node, which is not in the bundle.
    splitting: true,
    target: 'node22.19',
    write: false,
  });
  const bundled = Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), ascii(text)]));
  const sbom = await sbomOf({ metafile, files: bundled, root: fromRoot('.') });
  const files = { ...bundled, [SBOM]: Buffer.from(sbom) };
  // Some names contain a hash of the content, so the build would not replace all files of an earlier build.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(Object.entries(files).map(([name, contents]) => writeFile(join(folder, name), contents)));
  return Object.fromEntries(Object.entries(files).map(([name, contents]) => [name, contents.length]));
};

if (import.meta.main) {
  const sizes = await bundleOperator(fromRoot('dist/operator'));
  for (const [name, bytes] of Object.entries(sizes))
    console.log(`dist/operator/${name} ${Math.ceil(bytes / 1024)} KiB`);
}
