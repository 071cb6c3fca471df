import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownDifferences } from '#test/differential/known-differences.ts';

/** Every page for people; the templates link from where they will be. */
const documents = globSync(['*.md', 'docs/**/*.md', '{lib,constructs,apps,test}/**/README.md'], {
  cwd: new URL('../..', import.meta.url),
}).toSorted();

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const blocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code);

describe('README', () => {
  it('README shows the kind that the tests run on a real API server', () => {
    const [kind] = blocks(read('README.md'), 'ts');
    expect(kind).toBe(read('test/examples/runner.ts'));
  });

  it('the page about the virtual cluster shows the scenario that the tests run', () => {
    const [code] = blocks(read('docs/virtual-cluster.md'), 'ts');
    expect(code).toBe(read('test/examples/runner-simulation.ts'));
  });

  it('the page about the virtual cluster lists every known difference from the real API server', () => {
    const rows = knownDifferences.map(({ id, reason }) => `| \`${id}\` | ${reason} |`);
    expect(read('docs/virtual-cluster.md')).toContain(['| id | difference |', '|---|---|', ...rows, ''].join('\n'));
  });

  it('README, CONTRIBUTING and the pages for users name only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as Manifest;
    const ofProjects = (JSON.parse(read('templates/project/package.json')) as Manifest).scripts;
    const texts = ['README.md', 'CONTRIBUTING.md', 'docs/install.md', 'docs/benchmarks.md'].map(read).join('\n');
    const named = [...texts.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !(name in scripts || name in ofProjects))).toEqual([]);
  });

  it('README gives CI its test command, and CI uses no cheaper one', () => {
    expect(blocks(read('README.md'), 'sh')).toContain('npm ci && npm test\n');
    expect(read('.ci/run')).toMatch(/^npm ci.*\nnpm test$/m);
  });

  it.each(documents)('%s names tests and sources that exist', (document) => {
    const named = [...read(document).matchAll(/`((?:test|lib|constructs|apps|docs)\/[\w/.-]+)`/g)];
    expect(named.map(([, path = '']) => path).filter((path) => !exists(path))).toEqual([]);
  });

  it.each(documents)('%s links to files and headings that exist', (document) => {
    const links = [...withoutCode(document).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !leadsSomewhere(document, link))).toEqual([]);
  });
});

const exists = (path: string): boolean => existsSync(new URL(`../../${path}`, import.meta.url));

const withoutBlocks = (path: string): string => read(path).replaceAll(/^```[^]*?^```$/gm, '');

const withoutCode = (path: string): string => withoutBlocks(path).replaceAll(/`[^`\n]*`/g, '');

/** As GitHub makes them: https://gist.github.com/asabaylus/3071099 */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const headingsOf = (path: string): readonly string[] =>
  [...withoutBlocks(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

const leadsSomewhere = (document: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : posix.join(posix.dirname(document), path);
  if (!exists(target)) return false;
  return anchor === undefined || !target.endsWith('.md') || headingsOf(target).includes(anchor);
};

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
}
