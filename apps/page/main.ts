import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The clients: the file of each, its script and its style. */
const CLIENTS = [
  ['lib/foresight/page/client.json', 'main.ts', 'page.css'],
  ['lib/foresight/page/live/live-client.json', 'live/main.ts', 'live/live.css'],
] as const;

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

for (const [target, ...entries] of CLIENTS) {
  const [script, style] = await Promise.all(entries.map((entry) => bundled(`apps/page/client/${entry}`)));
  if (/<\/(?:script|style)|<!--/i.test(`${script}${style}`))
    throw new Error('The client contains text that ends its HTML element');
  const made = `${JSON.stringify({ script, style }, null, 2)}\n`;
  if (!process.argv.includes('--check')) await writeFile(fromRoot(target), made);
  else if ((await readFile(fromRoot(target), 'utf8')) !== made) {
    console.error(`${target} is out of date: run npm run page`);
    process.exitCode = 1;
  }
}
