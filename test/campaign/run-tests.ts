import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runVitest } from '#test/run-vitest.ts';
import type { CampaignPart, StepResult } from './part.ts';
import type { SoakSegment } from './soak/segment.ts';

interface JsonFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    /** The data that a test has stored about itself. */
    readonly meta?: { readonly soak?: SoakSegment };
  }[];
}

/** The part of vitest's JSON report that counts. */
interface JsonReport {
  readonly numPassedTests: number;
  readonly testResults: readonly JsonFile[];
}

const pathOf = ({ name }: JsonFile): string => relative(process.cwd(), name);

const failuresIn = ({ testResults }: JsonReport): readonly string[] =>
  testResults
    .filter(({ status }) => status === 'failed')
    .flatMap((file) => {
      const names = file.assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
      // A file that cannot be loaded has no failed test.
      const all = names.length > 0 ? names : [file.message.split('\n')[0]];
      return all.map((test) => `${pathOf(file)}: ${test}`);
    });

const segmentsIn = ({ testResults }: JsonReport): readonly SoakSegment[] =>
  testResults.flatMap(({ assertionResults }) => assertionResults.flatMap(({ meta }) => meta?.soak ?? []));

/** Whether a test of a file passed or failed. A file that cannot be loaded has failed. */
const hasRun = ({ status, assertionResults }: JsonFile): boolean =>
  status === 'failed' || assertionResults.some((test) => test.status === 'passed' || test.status === 'failed');

/**
 * The files and folders of a part in which no test ran. vitest ends without an error if one of several files does not exist, if
 * the name pattern matches no test, and if all tests are skipped.
 */
const idleFiles = ({ files }: CampaignPart, { testResults }: JsonReport): readonly string[] => {
  const ran = testResults.filter(hasRun).map(pathOf);
  return files.filter((file) => !ran.some((path) => path === file || path.startsWith(`${file}/`)));
};

const resultOf = (part: CampaignPart, report: JsonReport, code: number): StepResult => {
  const idle = idleFiles(part, report);
  if (idle.length > 0) throw new Error(`No test of ${idle.join(', ')} ran, so the step is not recorded`);
  const failed = failuresIn(report);
  const segments = segmentsIn(report);
  if (part.hasSegments === true && segments.length + failed.length === 0)
    throw new Error('The step reported no segment of the soak, so it is not recorded');
  // Errors outside of tests fail the run, and no test.
  const rest = code !== 0 && failed.length === 0 ? [`vitest ended with ${code}`] : [];
  return {
    passed: report.numPassedTests,
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
  vitest: typeof runVitest = runVitest,
): Promise<StepResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-'));
  const file = join(folder, 'report.json');
  const env = { SOAK: '1', ...part.env, ...(cases !== undefined && { CASES: cases }) };
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const code = await vitest([...part.files, ...(part.words ?? []), ...reporters], { env });
    const text = await readFile(file, 'utf8').catch(() => undefined);
    // An interrupted step is not a failure: the next call runs this step again.
    if (text === undefined) throw new Error(`The step ended with ${code} and without a report, so it is not recorded`);
    return resultOf(part, JSON.parse(text) as JsonReport, code);
  } finally {
    await rm(folder, { recursive: true });
  }
};
