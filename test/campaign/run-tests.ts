import { relative } from 'node:path';
import { runReported, type runVitest, type VitestFile, type VitestReport } from '#test/run-vitest.ts';
import type { CampaignPart, StepResult } from './part.ts';
import type { SoakSegment } from './soak/segment.ts';

const pathOf = ({ name }: VitestFile): string => relative(process.cwd(), name);

const failuresIn = ({ testResults }: VitestReport): readonly string[] =>
  testResults
    .filter(({ status }) => status === 'failed')
    .flatMap((file) => {
      const names = file.assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
      // A file that cannot be loaded has no failed test.
      const all = names.length > 0 ? names : [file.message.split('\n')[0]];
      return all.map((test) => `${pathOf(file)}: ${test}`);
    });

const segmentsIn = ({ testResults }: VitestReport): readonly SoakSegment[] =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ meta }) => (meta?.['soak'] as SoakSegment | undefined) ?? []),
  );

/** Whether a test of a file passed or failed. A file that cannot be loaded has failed. */
const hasRun = ({ status, assertionResults }: VitestFile): boolean =>
  status === 'failed' || assertionResults.some((test) => test.status === 'passed' || test.status === 'failed');

/**
 * The files and folders of a part in which no test ran. vitest ends without an error if one of several files does not exist, if
 * the name pattern matches no test, and if all tests are skipped.
 */
const idleFiles = ({ files }: CampaignPart, { testResults }: VitestReport): readonly string[] => {
  const ran = testResults.filter(hasRun).map(pathOf);
  return files.filter((file) => !ran.some((path) => path === file || path.startsWith(`${file}/`)));
};

const resultOf = (part: CampaignPart, report: VitestReport, code: number): StepResult => {
  const idle = idleFiles(part, report);
  if (idle.length > 0) throw new Error(`No test of ${idle.join(', ')} ran, so the step is not recorded`);
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = failuresIn(report);
  const segments = segmentsIn(report);
  if (part.hasSegments === true && segments.length + failed.length === 0)
    throw new Error('The step reported no segment of the soak, so it is not recorded');
  // Errors outside of tests fail the run, and no test.
  const rest = code !== 0 && failed.length === 0 ? [`vitest ended with ${code}`] : [];
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: [...failed, ...rest],
    ...(segments.length > 0 && { segments }),
  };
};

/**
 * Runs the tests of a part once.
 *
 * @param cases - the value of `CASES`
 * @param vitest - @default the real one, with the output of this process
 * @throws {Error} if there is no report, if no test of one of the files ran, or if a segment of the soak is missing
 */
export const runTests = async (
  part: CampaignPart,
  cases: string | undefined,
  vitest?: typeof runVitest,
): Promise<StepResult> => {
  const env = { SOAK: '1', ...part.env, ...(cases !== undefined && { CASES: cases }) };
  const { code, report } = await runReported([...part.files, ...(part.words ?? [])], { env }, vitest);
  // An interrupted step is not a failure: the next call runs this step again.
  if (report === undefined) throw new Error(`The step ended with ${code} and without a report, so it is not recorded`);
  return resultOf(part, report, code);
};
