import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Packages written for CommonJS ask for built-in modules by `require`, which modules do not have. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Makes the operator a few files, of which `operator.mjs` is run and `worker.mjs` is the thread that it starts: what a
 * container image holds.
 *
 * Guarantees: the same source gives the same bytes, wherever the repository lies.
 *
 * Caveats: `@kubernetes/client-node` reads kubeconfig files and is left out; in a pod it is never loaded.
 *
 * @param folder - where to; what is in it is removed
 * @returns the sizes of the files, in bytes, by name
 */
export const bundleOperator = async (folder: string): Promise<Readonly<Record<string, number>>> => {
  const entryPoints = { operator: fromRoot('apps/operator.ts'), worker: fromRoot('lib/loop/guardian/worker.ts') };
  const { outputFiles } = await build({
    absWorkingDir: fromRoot('.'),
    banner: { js: REQUIRE },
    bundle: true,
    entryPoints,
    external: ['@kubernetes/client-node'],
    format: 'esm',
    legalComments: 'eof',
    logLevel: 'warning',
    minifySyntax: true,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    // What reads kubeconfig files stays a file of its own, with its import of client-node.
    splitting: true,
    target: 'node22.19',
    write: false,
  });
  // Files have their hash in the name: those of another source would stay beside them.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
  return Object.fromEntries(outputFiles.map(({ path, contents }) => [basename(path), contents.length]));
};

if (import.meta.main) {
  const sizes = await bundleOperator(fromRoot('dist/operator'));
  for (const [name, bytes] of Object.entries(sizes))
    console.log(`dist/operator/${name} ${Math.ceil(bytes / 1024)} KiB`);
}
