import { describe, expect, it } from 'vitest';
import { joinedMutants, type MutationReport, mutantResult, survivorText } from '#test/campaign/mutants/report.ts';
import { mutantChapter, mutantCount, survivorLines } from '#test/campaign/mutants/table.ts';
import type { PartResult } from '#test/campaign/part.ts';

const source = 'const a = 1;\nconst isLess = (b) =>\n  b < a;\n';

const mutant = (status: string, more: object = {}) => ({
  mutatorName: 'EqualityOperator',
  replacement: 'b <= a',
  status,
  location: { start: { line: 3, column: 3 }, end: { line: 3, column: 8 } },
  ...more,
});

const arrow = { start: { line: 2, column: 16 }, end: { line: 3, column: 8 } };
const reported = (...mutants: ReturnType<typeof mutant>[]): MutationReport => ({
  files: { 'lib/a/b.ts': { source, mutants } },
});

const survivor = { at: 'lib/a/b.ts:3:3', mutator: 'EqualityOperator', code: 'b < a', changed: 'b <= a' };
const reason = { file: 'lib/a/b.ts', code: 'b < a', reason: 'The values are never equal.' };

describe('mutantResult()', () => {
  it('mutantResult() counts mutants by folder and outcome', () => {
    const statuses = ['Killed', 'RuntimeError', 'Timeout', 'Survived', 'NoCoverage', 'Ignored'];
    const { passed, mutants } = mutantResult(reported(...statuses.map((status) => mutant(status))), []);
    expect(passed).toBe(3);
    expect(mutants?.folders).toEqual({ 'lib/a': { killed: 2, timeouts: 1, survived: 1, uncovered: 1, ignored: 1 } });
  });

  it('mutantResult() refuses a mutant that was not tried', () => {
    expect(() => mutantResult(reported(mutant('Pending')), [])).toThrow(
      'The mutant in lib/a/b.ts, line 3, has the status "Pending"',
    );
  });

  it('mutantResult() names the place and the code of each survivor', () => {
    const { failed, mutants } = mutantResult(
      reported(mutant('Survived'), mutant('NoCoverage', { location: arrow })),
      [],
    );
    expect(mutants?.survivors).toEqual([survivor, { ...survivor, at: 'lib/a/b.ts:2:16', code: '(b) => b < a' }]);
    expect(failed).toEqual([
      'lib/a/b.ts:3:3 EqualityOperator: `b < a` → `b <= a`',
      'lib/a/b.ts:2:16 EqualityOperator: `(b) => b < a` → `b <= a`',
    ]);
  });

  it.each([
    { entry: reason, is: true },
    { entry: { ...reason, mutator: 'EqualityOperator', changed: 'b <= a' }, is: true },
    { entry: { ...reason, mutator: 'BlockStatement' }, is: false },
    { entry: { ...reason, changed: 'b > a' }, is: false },
    { entry: { ...reason, code: 'b' }, is: false },
    { entry: { ...reason, file: 'lib/a/b' }, is: false },
  ])('mutantResult() accepts a survivor with the reason $entry: $is', ({ entry, is }) => {
    const { failed, mutants } = mutantResult(reported(mutant('Survived')), [entry]);
    expect(failed).toHaveLength(is ? 0 : 1);
    expect(mutants?.survivors).toEqual([is ? { ...survivor, reason: reason.reason } : survivor]);
  });

  it('mutantResult() cuts long code', () => {
    const { mutants } = mutantResult(reported(mutant('Survived', { replacement: 'x'.repeat(1000) })), []);
    expect(mutants?.survivors[0]?.changed).toHaveLength(161);
  });
});

const step = (status: string) => mutantResult(reported(mutant(status)), []).mutants ?? { folders: {}, survivors: [] };

it('joinedMutants() adds the numbers of the steps, and joins their survivors', () => {
  const { folders, survivors } = joinedMutants(step('Killed'), step('Survived'));
  expect(folders).toEqual({ 'lib/a': { killed: 1, timeouts: 0, survived: 1, uncovered: 0, ignored: 0 } });
  expect(survivors).toEqual([survivor]);
  expect(joinedMutants(undefined, step('Killed'))).toEqual(step('Killed'));
});

describe('the table of mutants', () => {
  const result: PartResult = {
    part: 'mutants-a',
    commit: 'aaa',
    date: '2026-11-27',
    versions: { node: 'v24', kubernetes: 'v1.36.4' },
    done: 1,
    passed: 1200,
    failed: [survivorText(survivor)],
    minutes: 1,
    mutants: {
      folders: { 'lib/a': { killed: 1198, timeouts: 2, survived: 2, uncovered: 1, ignored: 7 } },
      survivors: [survivor, { ...survivor, at: 'lib/a/b.ts:9:1' }, { ...survivor, reason: 'Equal.' }],
    },
  };

  it('mutantChapter() has the numbers and the share of each folder', () => {
    expect(mutantChapter([result]).at(-1)).toBe('| `lib/a` | 1,203 | 1,198 | 2 | 2 | 1 | 99.8 % | 7 |');
    expect(mutantCount(result)).toBe(1203);
  });

  it('mutantChapter() is empty without mutants', () => {
    const { mutants: _, ...plain } = result;
    expect(mutantChapter([plain])).toEqual([]);
    expect(mutantCount(plain)).toBe(0);
  });

  it('survivorLines() counts the survivors without a reason by file', () => {
    expect(survivorLines(result)).toEqual(['- `mutants-a`: 2 survivors without a reason in `lib/a/b.ts`']);
  });
});
