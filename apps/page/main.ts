import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const TARGET = fromRoot('lib/foresight/page/client.json');

const bundled = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fromRoot(entry)],
    bundle: true,
    charset: 'utf8',
    format: 'iife',
    legalComments: 'none',
    logLevel: 'warning',
    minify: true,
    target: ['chrome120', 'firefox121', 'safari17'],
    write: false,
  });
  // The policy of the page has a hash of the text. A line feed at the end would be part of the hash.
  return outputFiles
    .map(({ text }) => text)
    .join('')
    .trim();
};

const [script, style] = await Promise.all([bundled('apps/page/client/main.ts'), bundled('apps/page/client/page.css')]);
if (/<\/(?:script|style)|<!--/i.test(script + style))
  throw new Error('The client contains text that ends its HTML element');
const made = `${JSON.stringify({ script, style }, null, 2)}\n`;
if (!process.argv.includes('--check')) await writeFile(TARGET, made);
else if ((await readFile(TARGET, 'utf8')) !== made) {
  console.error('lib/foresight/page/client.json is out of date: run npm run page');
  process.exitCode = 1;
}
