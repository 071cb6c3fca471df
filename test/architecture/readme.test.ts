import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { knownDifferences } from '#test/differential/known-differences.ts';

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

  it('README names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read('README.md').matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('README gives CI its test command, and CI uses no cheaper one', () => {
    expect(blocks(read('README.md'), 'sh')).toContain('npm ci && npm test\n');
    expect(read('.ci/run')).toMatch(/^npm ci.*\nnpm test$/m);
  });

  it('README and the documents beside it link to files that exist', () => {
    for (const document of [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'docs/virtual-cluster.md',
      'docs/testing.md',
    ]) {
      const links = [...read(document).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
      const folder = document.includes('/') ? `${document.slice(0, document.lastIndexOf('/'))}/` : '';
      const broken = links.filter((path) => !exists(`${folder}${path}`));
      expect(broken).toEqual([]);
    }
  });
});

const exists = (path: string): boolean => {
  try {
    read(/\.\w+$/.test(path) || path === 'LICENSE' ? path : `${path}/README.md`);
    return true;
  } catch {
    return false;
  }
};
