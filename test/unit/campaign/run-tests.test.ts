import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CampaignPart } from '#test/campaign/part.ts';
import { runTests } from '#test/campaign/run-tests.ts';
import { runVitest, type VitestRun } from '#test/run-vitest.ts';

const walks: CampaignPart = { name: 'walks', shows: 'walks end', files: ['test/walks.test.ts'] };

/** A file of a report; without tests, if it cannot be loaded. */
const fileOf = (name: string, ...statuses: readonly string[]) => ({
  name: resolve(name),
  status: statuses.every((status) => status !== 'failed') && statuses.length > 0 ? 'passed' : 'failed',
  message: 'Cannot find a.ts\nat b.ts',
  assertionResults: statuses.map((status) => ({ status, fullName: `a walk is ${status}` })),
});

/** A vitest that writes a report, and records its environment. */
const vitestWith = (files: readonly ReturnType<typeof fileOf>[], code = 0) => {
  const seen: VitestRun['env'][] = [];
  const vitest: typeof runVitest = async (words, options) => {
    seen.push(options?.env);
    const [, file = ''] = /^--outputFile\.json=(.*)$/.exec(words.at(-1) ?? '') ?? [];
    const passed = files
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'passed');
    await writeFile(file, JSON.stringify({ numPassedTests: passed.length, testResults: files }));
    return code;
  };
  return { seen, vitest };
};

const stepOf = async (part: CampaignPart, ...files: readonly ReturnType<typeof fileOf>[]) =>
  runTests(part, undefined, vitestWith(files).vitest);

describe('runTests()', () => {
  it('runTests() counts the tests that passed, and names those that failed', async () => {
    const { vitest, seen } = vitestWith([fileOf('test/walks.test.ts', 'passed', 'failed', 'skipped')], 1);
    const part = { ...walks, env: { LEGS: '2' } };
    const failed = ['test/walks.test.ts: a walk is failed'];
    expect(await runTests(part, '11+10', vitest)).toEqual({ passed: 1, failed });
    expect(seen).toEqual([{ SOAK: '1', CASES: '11+10', LEGS: '2' }]);
  });

  it('runTests() names a file that cannot be loaded, and an error outside of tests', async () => {
    const failed = ['test/walks.test.ts: Cannot find a.ts'];
    expect(await stepOf(walks, fileOf('test/walks.test.ts'))).toEqual({ passed: 0, failed });
    const { vitest } = vitestWith([fileOf('test/walks.test.ts', 'passed')], 3);
    expect(await runTests(walks, undefined, vitest)).toEqual({ passed: 1, failed: ['vitest ended with 3'] });
  });

  it('runTests() accepts a folder when a file in it ran', async () => {
    const part = { ...walks, files: ['test/walks'] };
    expect(await stepOf(part, fileOf('test/walks/a.test.ts', 'passed'))).toEqual({ passed: 1, failed: [] });
    await expect(stepOf(part, fileOf('test/walks-b.test.ts', 'passed'))).rejects.toThrow('No test of test/walks ran');
  });

  it('runTests() throws when all tests of a file are skipped', async () => {
    const two = { ...walks, files: ['test/walks.test.ts', 'test/runs.test.ts'] };
    const skipped = fileOf('test/runs.test.ts', 'skipped', 'pending');
    const step = stepOf(two, fileOf('test/walks.test.ts', 'passed'), skipped);
    await expect(step).rejects.toThrow('No test of test/runs.test.ts ran, so the step is not recorded');
  });

  it('runTests() throws when a soak passes and reports no segment', async () => {
    const part = { ...walks, hasSegments: true };
    const step = stepOf(part, fileOf('test/walks.test.ts', 'passed'));
    await expect(step).rejects.toThrow('The step reported no segment of the soak');
    const failed = await stepOf(part, fileOf('test/walks.test.ts', 'failed'));
    expect(failed.failed).toHaveLength(1);
  });

  it('runTests() throws when vitest ends without a report', async () => {
    const step = runTests(walks, undefined, async () => 130);
    await expect(step).rejects.toThrow('The step ended with 130 and without a report, so it is not recorded');
  });

  it('runTests() throws when vitest ends well, but one file does not exist or the name pattern matches no test', async () => {
    const codes: number[] = [];
    const vitest: typeof runVitest = async (words, options) => {
      const code = await runVitest(words, { ...options, stdio: 'ignore' });
      codes.push(code);
      return code;
    };
    const words = ['--project', 'unit'];
    const file = 'test/unit/campaign/cases.test.ts';
    const absent = 'test/unit/campaign/absent.test.ts';
    const two = runTests({ ...walks, files: [file, absent], words }, undefined, vitest);
    await expect(two).rejects.toThrow(`No test of ${absent} ran`);
    const none = runTests({ ...walks, files: [file], words: [...words, '--testNamePattern', 'walks'] }, '1+1', vitest);
    await expect(none).rejects.toThrow(`No test of ${file} ran`);
    expect(codes).toEqual([0, 0]);
  });
});
