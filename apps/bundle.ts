import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { sbomOf } from './bundle/sbom.ts';
import { undiciCore } from './bundle/undici-core.ts';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Packages written for CommonJS ask for built-in modules by `require`, which modules do not have. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const SBOM = 'sbom.cdx.json';

/** V8 keeps a source with one non-ASCII letter at two bytes a character. esbuild escapes strings, not comments, keys and regular expressions. */
const ascii = (text: string): Buffer =>
  Buffer.from(text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`));

/**
 * Bundles the operator into a few files, the content of a container image: `operator.mjs` is the entry point, and `worker.mjs`
 * is a thread that it starts. `sbom.cdx.json` lists their components.
 *
 * Guarantees: the same source gives the same bytes, wherever the repository is.
 *
 * Caveats: `@kubernetes/client-node` runs the credential plugins of kubeconfigs and is left out; in a pod it is never loaded.
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
    // Beside the code: names are not all ASCII, and V8 keeps source in which they are with two bytes for each character.
    legalComments: 'external',
    logLevel: 'warning',
    metafile: true,
    minifySyntax: true,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    // Through symbolic links: `node_modules` may be one, and then its paths would not begin at the root.
    preserveSymlinks: true,
    plugins: [undiciCore],
    // What reads kubeconfig files stays a file of its own, with its import of client-node.
    splitting: true,
    target: 'node22.19',
    write: false,
  });
  const bundled = Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), ascii(text)]));
  const sbom = await sbomOf({ metafile, files: bundled, root: fromRoot('.') });
  const files = { ...bundled, [SBOM]: Buffer.from(sbom) };
  // Files have their hash in the name: those of another source would stay beside them.
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
