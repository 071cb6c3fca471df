import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CampaignPart, StepResult } from '#test/campaign/part.ts';
import { readCaseRange } from '#test/cases.ts';
import { runScript } from '#test/run-vitest.ts';
import { mutantReasons } from './reasons.ts';
import { type MutationReport, mutantResult } from './report.ts';
import { prepareTree, REPORT, writeStrykerConfig } from './tree.ts';

/** The cases of each property. They are few, because the tests of most mutants include a property. */
const PROPERTY_CASES = '1+10';

/**
 * Tries the mutants of some source files of a part: Stryker changes one piece of code at a time, and runs the tests that run
 * this piece.
 *
 * @param cases - the source files, such as `1+6` for the first six
 * @throws {Error} if Stryker ends without a report, for example because a test fails without any change
 */
export const runMutants = async (part: CampaignPart, cases: string | undefined): Promise<StepResult> => {
  const all = part.mutants ?? [];
  const { first, count } = readCaseRange(cases) ?? { first: 1, count: all.length };
  const sources = all.slice(first - 1, first - 1 + count);
  const { tree, program, known } = await prepareTree();
  const report = join(tree, REPORT);
  await rm(report, { force: true });
  await writeStrykerConfig(tree, { sources, tests: part.files, known: join(known, `${part.name}.json`) });
  const code = await runScript(program, ['run'], { folder: tree, env: { CASES: PROPERTY_CASES } });
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new Error(`Stryker ended with ${code} and without a report, so the step is not recorded`);
  const { files } = JSON.parse(text) as MutationReport;
  // The report also has the known outcomes of other source files.
  const own = Object.entries(files).filter(([file]) => sources.includes(file));
  return mutantResult({ files: Object.fromEntries(own) }, mutantReasons());
};
