import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '#apps/site/pages.ts';
import { knownDifferences } from '#test/differential/known-differences.ts';
import { repository } from './repository.ts';

const documents = pagesOf(repository);

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
});

const exists = (path: string): boolean => existsSync(new URL(`../../${path}`, import.meta.url));

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
}

/** The folders of the first two levels; the README of `constructs` has a row for each of its folders. */
const folders = globSync(['lib', 'constructs', 'apps', 'lib/*/'], { cwd: repository }).map((path) =>
  path.replace(/\/$/, ''),
);

/** Files in backticks, relative to a folder. */
const filesNamedIn = (text: string, folder: string): readonly string[] =>
  [...text.matchAll(/(?:`|\]\()([\w/.-]+\.ts)(?:`|\))/g)]
    .map(([, path = '']) => join(folder, path))
    .filter((path) => existsSync(join(repository, path)));

describe('READMEs of folders', () => {
  it.for(folders)('%s/README.md has the flow, and names three files to start with', (folder) => {
    const text = read(`${folder}/README.md`);
    expect(new Set(filesNamedIn(text, folder)).size).toBeGreaterThanOrEqual(3);
    expect(text).toMatch(/^(?:#+ |\*\*)?(?:Flow|From an event)/m);
  });

  it('constructs/README.md has a row with three files and the flow for each folder', () => {
    const rows = new Map(
      [...read('constructs/README.md').matchAll(/^\| `([\w-]+)\/` (\|.*)$/gm)].map(([, name = '', row = '']) => [
        name,
        row,
      ]),
    );
    const kinds = globSync('constructs/*/', { cwd: repository }).map((path) => path.replace(/^constructs\/|\/$/g, ''));
    expect([...rows.keys()].toSorted()).toEqual(kinds.toSorted());
    expect([...rows].filter(([name, row]) => filesNamedIn(row, `constructs/${name}`).length < 3)).toEqual([]);
  });
});
