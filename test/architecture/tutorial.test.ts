import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App, Chart } from 'cdk8s';
import { compileCrd } from 'cdk8s-reconcile';
import { Operator } from 'cdk8s-reconcile/constructs';
import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { breakingChanges } from '#lib/kind/evolution/breaking-changes.ts';
import { website as first } from '#test/examples/tutorial/first/website.ts';
import { website as second } from '#test/examples/tutorial/second/website.ts';
import { website as served } from '#test/examples/tutorial/served/website.ts';
import { repository } from './repository.ts';

const CHAPTERS = 'test/examples/tutorial';
const NAMES = ['first', 'served', 'second'] as const;
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

type Files = Readonly<Record<string, string>>;

const filesOf = (chapter: string): Files =>
  Object.fromEntries(
    readdirSync(join(repository, CHAPTERS, chapter)).map((file) => [file, read(`${CHAPTERS}/${chapter}/${file}`)]),
  );

/** A hunk without the marks of its lines, before or after the change. */
const sideOf = (hunk: string, otherMark: string): string =>
  hunk
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(otherMark))
    .map((line) => line.slice(1))
    .join('\n');

const patched = (text: string, diff: string): string =>
  diff.split(/^@@\n/m).reduce((before, hunk) => {
    const [old, next] = [sideOf(hunk, '+'), sideOf(hunk, '-')];
    expect(before.split(old)).toHaveLength(2);
    return before.replace(old, () => next);
  }, text);

/** The files of a reader after a chapter. A block of code names a file, and has its whole text or its changes. */
const filesAfter = (before: Files, markdown: string): Files => {
  const blocks = [...markdown.matchAll(/^```(ts|diff) (\S+)\n([^]*?)^```$/gm)];
  expect(blocks.length).toBeGreaterThan(2);
  const changed = blocks.map(([, language = '', file = '', code = '']) => [
    file,
    language === 'ts' ? code : patched(before[file] ?? '', code),
  ]);
  return { ...before, ...Object.fromEntries(changed) };
};

describe('the tutorial', () => {
  it('shows the files that the tests run, all of them and no others', () => {
    const texts = read('docs/tutorial.md').split(/^(?:## A second version|### The second release .*)$/m);
    expect(texts).toHaveLength(NAMES.length);
    let files: Files = {};
    for (const [at, text] of texts.entries()) {
      files = filesAfter(files, text);
      expect(files).toEqual(filesOf(NAMES[at] ?? ''));
    }
  });

  it('has releases that break nothing in their order, and only the warning that the page explains', () => {
    const definitions = [first, served, second].map((kind) =>
      compileCrd(kind, { conversion: { name: 'a', namespace: 'a', port: 1 } }),
    ) as unknown as readonly [CustomResourceDefinition, CustomResourceDefinition, CustomResourceDefinition];
    const [one, two, three] = definitions;
    expect(breakingChanges(one, two)).toEqual([]);
    expect(breakingChanges(two, three)).toEqual([]);
    expect(breakingChanges(one, three)).toMatchObject([{ rule: 'stored-too-early' }]);
    const warnings = [first, served, second].map((kind) => {
      const props = { kinds: [kind], name: 'website-operator', image: 'registry.example.com/website-operator:1' };
      return new Operator(new Chart(new App(), 'operator'), 'operator', props).warnings;
    });
    const warned = expect.stringMatching(/^Website stores v1beta1, which functions convert from v1alpha1\./) as unknown;
    expect(warnings).toEqual([[], [], [warned]]);
  });

  it('has tests that pass', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--test', '--test-isolation=none', `${CHAPTERS}/*/*.test.ts`],
      {
        cwd: repository,
      },
    );
    expect(stdout).toMatch(/pass 10\n.*fail 0\n/);
  });
});
