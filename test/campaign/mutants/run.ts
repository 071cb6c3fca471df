import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CampaignPart, StepResult } from '#test/campaign/part.ts';
import { readCaseRange } from '#test/cases.ts';
import { runScript } from '#test/run-vitest.ts';
import { mutantReasons } from './reasons.ts';
import { type MutationReport, mutantResult } from './report.ts';
import { isInScope, roomOf } from './sample.ts';
import { prepareTree, REPORT, writeStrykerConfig } from './tree.ts';

/** The cases of each property. They are few, because the tests of most mutants include a property. */
const PROPERTY_CASES = '1+10';

const testsFor = ({ files, testsByRoom }: CampaignPart, sources: readonly string[]): readonly string[] =>
  testsByRoom ? [...new Set(sources.flatMap((source) => testsByRoom[roomOf(source)] ?? []))] : files;

/**
 * Tries the mutants of some sources of a part: Stryker changes one piece of code at a time, and runs the tests that run
 * this piece.
 *
 * @param cases - the sources, such as `1+6` for the first six
 * @throws {Error} if Stryker ends without a report, for example because a test fails without any change
 */
export const runMutants = async (part: CampaignPart, cases: string | undefined): Promise<StepResult> => {
  const all = part.mutants?.() ?? [];
  const { first, count } = readCaseRange(cases) ?? { first: 1, count: all.length };
  const sources = all.slice(first - 1, first - 1 + count);
  const { tree, program, known } = await prepareTree();
  const file = join(tree, REPORT);
  await rm(file, { force: true });
  const tests = { tests: testsFor(part, sources), without: part.withoutTests };
  await writeStrykerConfig(tree, { sources, ...tests, known: join(known, `${part.name}.json`) });
  const code = await runScript(program, ['run'], { folder: tree, env: { CASES: PROPERTY_CASES } });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new Error(`Stryker ended with ${code} and without a report, so the step is not recorded`);
  const { files } = JSON.parse(text) as MutationReport;
  // The report also has the known outcomes of other sources.
  const own = Object.entries(files).map(([path, { source, mutants }]) => {
    const tried = mutants.filter(({ location }) => isInScope(sources, path, location.start.line));
    return [path, { source, mutants: tried }] as const;
  });
  const report = { files: Object.fromEntries(own.filter(([, { mutants }]) => mutants.length > 0)) };
  return mutantResult(report, mutantReasons(), part.testsByRoom ? roomOf : dirname);
};
