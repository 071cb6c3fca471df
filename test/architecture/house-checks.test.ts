import { describe, expect, it } from 'vitest';
import { undocumentedExports } from './house/documentation.ts';
import { brokenExamples } from './house/examples.ts';
import { repeatedNames } from './house/exported-names.ts';
import type { Check } from './house/finding.ts';
import { wideFolders } from './house/folders.ts';
import { outsideBudget, roomsIn } from './house/line-budgets.ts';
import { registryHosts } from './house/lock-file.ts';
import { emptyMatches } from './house/matchers.ts';
import {
  headlessComments,
  headlessMarkdown,
  headlessMessages,
  machinePaths,
  openNotes,
  vagueName,
} from './house/wording.ts';

/** Split, so that this file does not break the rules that it tests. */
const openNote = ['// TO', 'DO: the rest'].join('');
const machinePath = ['/ho', 'me/me/project'].join('');

const lock = (resolved: string): string =>
  JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0', resolved }, 'node_modules/b': {} } });

interface Planted {
  readonly reason: string;
  readonly check: Check;
  readonly text: string;
  readonly path?: string;
  /** How many findings there must be. */
  readonly found: number;
}

const planted: readonly Planted[] = [
  {
    reason: 'empty objects in matchers',
    check: emptyMatches,
    text: 'expect(a).toMatchObject({});\nexpect(a({})).not.toMatchObject([{ b: c({}) }]);',
    found: 2,
  },
  {
    reason: 'empty objects outside of matchers',
    check: emptyMatches,
    text: 'expect(a({})).toMatchObject({ b: 1 });\nexpect(a).toEqual({});',
    found: 0,
  },
  { reason: 'bare export', check: undocumentedExports, text: 'export const a = 1;', found: 1 },
  {
    reason: 'export with a plain comment',
    check: undocumentedExports,
    text: '/* A. */\nexport const a = 1;',
    found: 1,
  },
  { reason: 'export with an empty comment', check: undocumentedExports, text: '/** */\nexport const a = 1;', found: 1 },
  { reason: 'comment of another', check: undocumentedExports, text: '/** A. */\nlet b;\nexport type A = 1;', found: 1 },
  {
    reason: 'every sort of declaration',
    check: undocumentedExports,
    text: 'export interface A {}\nexport class B {}\nexport function c() {}\nexport default 1;',
    found: 4,
  },
  { reason: 'destructured', check: undocumentedExports, text: 'export const { a, b } = c;', found: 1 },
  { reason: 'exported by its name', check: undocumentedExports, text: 'const a = 1;\nexport { a as b };', found: 1 },
  {
    reason: 'documented, exported by its name',
    check: undocumentedExports,
    text: '/** A. */\nconst a = 1;\nexport { a };',
    found: 0,
  },
  {
    reason: 're-exports',
    check: undocumentedExports,
    text: "export { a } from './a.ts';\nexport * from './b.ts';",
    found: 0,
  },
  {
    reason: 'imported and exported',
    check: undocumentedExports,
    text: "import { a } from './a.ts';\nexport { a };",
    found: 0,
  },
  {
    reason: 'overloads with one comment',
    check: undocumentedExports,
    text: '/** A. */\nexport function a(x: 1): 1;\nexport function a(x: 2): 2;\nexport function a(x: number) { return x; }',
    found: 0,
  },
  {
    reason: 'overloads without a comment',
    check: undocumentedExports,
    text: 'export function a(x: 1): 1;\nexport function a(x: number) { return x; }',
    found: 1,
  },
  {
    reason: 'a suppression in between',
    check: undocumentedExports,
    text: '/** A. */\n// oxlint-disable-next-line x -- y\nexport const a = 1;',
    found: 0,
  },
  { reason: 'a private declaration', check: undocumentedExports, text: 'const a = 1;', found: 0 },
  { reason: 'example in prose', check: brokenExamples, text: '/**\n * @example\n * call it twice\n */', found: 1 },
  { reason: 'example without text', check: brokenExamples, text: '/**\n * @example\n * @see elsewhere\n */', found: 1 },
  {
    reason: 'second example is broken',
    check: brokenExamples,
    text: '/**\n * @example\n * a();\n * @example\n * a(;\n */',
    found: 1,
  },
  {
    reason: 'example before another tag',
    check: brokenExamples,
    text: '/**\n * @example\n * await a();\n * @returns what it is\n */',
    found: 0,
  },
  {
    reason: 'example in a fence',
    check: brokenExamples,
    text: '/**\n * @example\n * In words:\n * ```ts\n * a();\n * ```\n */',
    found: 0,
  },
  { reason: 'a note', check: openNotes, text: openNote, found: 1 },
  { reason: 'a person in a comment', check: headlessComments, text: '/** Tells whoever waits. */', found: 1 },
  {
    reason: 'a comment without a subject',
    check: headlessComments,
    text: 'f();\n// Of the list, the first.\n',
    found: 1,
  },
  { reason: 'the same words in code', check: headlessComments, text: "const who = 'Of nobody';", found: 0 },
  { reason: 'a person in a message', check: headlessMessages, text: "const a = 'held by somebody else';", found: 1 },
  {
    reason: 'messages with values, without a subject',
    check: headlessMessages,
    text: 'const a = `${b} is gone. Of ${c} nobody knows`;',
    found: 2,
  },
  { reason: 'a name that is one of these words', check: headlessMessages, text: "const a = b['who'];", found: 0 },
  { reason: 'a person in a page', check: headlessMarkdown, text: 'The status tells whoever waits.', found: 1 },
  {
    reason: 'sentences without a subject in a page',
    check: headlessMarkdown,
    text: 'Of the list, the first.\n\n- So many pods stay. Who waits? **Of others**: none.\n\n| a | Whose it is |\n',
    found: 6,
  },
  {
    reason: 'the same words in the code of a page',
    check: headlessMarkdown,
    text: 'See `nobody leads` and ``Who `told` it``.\n\n```sh\nwho # Of nobody\n```\n\nOffers stay, whose price is a list: of pods.\n',
    found: 0,
  },
  { reason: 'a path of a machine', check: machinePaths, text: `see ${machinePath}`, found: 1 },
  { reason: 'a path in quotes', check: machinePaths, text: `'${machinePath}'`, found: 1 },
  { reason: 'part of an address', check: machinePaths, text: `https://example.com${machinePath}`, found: 0 },
  { reason: 'vague file', check: vagueName, text: '', path: 'lib/kind/utils.ts', found: 1 },
  { reason: 'vague file with two endings', check: vagueName, text: '', path: 'test/unit/helpers.test.ts', found: 1 },
  { reason: 'vague folder', check: vagueName, text: '', path: 'lib/common/hash.ts', found: 1 },
  { reason: 'output name', check: vagueName, text: '', path: 'lib/kind/common-name.ts', found: 0 },
  { reason: 'registry', check: registryHosts, text: lock('https://registry.example.com/a.tgz'), found: 1 },
  { reason: 'git', check: registryHosts, text: lock('git+ssh://git@example.com/a.git'), found: 1 },
  { reason: 'folder', check: registryHosts, text: lock('packages/a'), found: 0 },
];

/** A folder with this number of entries, by turns files and folders. */
const folder = (entries: number) =>
  Array.from({ length: entries }, (_, index) => ({
    path: `lib/wide/${index % 2 ? `${index}.ts` : `${index}/a.ts`}`,
    text: '',
  }));

/** A file for each text: `lib/0.ts`, `lib/1.ts`, and so on. */
const files = (...texts: readonly string[]) => texts.map((text, index) => ({ path: `lib/${index}.ts`, text }));

describe('house checks', () => {
  it.for(planted)('find $found in: $reason', ({ check, text, path = 'lib/planted.ts', found }) => {
    expect(check({ path, text })).toHaveLength(found);
  });

  describe('of folders', () => {
    it('find one with 16 entries', () => {
      expect(wideFolders(folder(16))).toEqual(['lib/wide: 16 entries, at most 15']);
    });

    it('let 15 entries pass, many files below one entry, and exceptions', () => {
      expect(wideFolders(folder(15))).toEqual([]);
      expect(wideFolders([...folder(15), { path: 'lib/wide/0/b.ts', text: '' }])).toEqual([]);
      expect(wideFolders(folder(16), { 'lib/wide': 'planted' })).toEqual([]);
    });
  });

  describe('of line budgets', () => {
    const rooms = roomsIn('| `lib/a`, `lib/a.ts` | 1,000 | a room |\n| `test` |  | without a budget |\n');
    const withLines = (lines: number) => outsideBudget(rooms, (path) => (path === 'lib/a' ? lines : 0));

    it('find a room that grows beyond its budget, and one whose budget is out of date', () => {
      expect(withLines(1001)).toEqual([
        'lib/a, lib/a.ts: 1001 lines, the budget in ARCHITECTURE.md is 1000: remove lines of this room first, ' +
          'or raise its budget in the same commit and give the reason in the message',
      ]);
      expect(withLines(899)).toEqual([
        'lib/a, lib/a.ts: 899 lines, the budget in ARCHITECTURE.md is 1000: lower the budget, so that the room stays small',
      ]);
    });

    it('let rooms pass that are a little below their budget', () => {
      expect([1000, 900].flatMap(withLines)).toEqual([]);
    });
  });

  describe('of exported names', () => {
    it('find a name that stands for two things', () => {
      expect(repeatedNames(files('export const place = 1;', 'const a = 2;\nexport { a as place };'))).toEqual([
        'place: lib/0.ts, lib/1.ts',
      ]);
    });

    it('let overloads, re-exports and private declarations pass', () => {
      const overloads = 'export function place(x: 1): 1;\nexport function place(x: number) { return x; }';
      const passedOn = "export { place } from './0.ts';";
      const imported = "import { place } from './0.ts';\nexport { place };";
      expect(repeatedNames(files(overloads, passedOn, imported, 'const place = 1;'))).toEqual([]);
    });
  });
});
