import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { goModuleVersion } from '#test/control-plane/recipe.ts';
import { runVitest } from '#test/run-vitest.ts';
import { joinedMutants } from './mutants/report.ts';
import { runMutants } from './mutants/run.ts';
import type { CampaignPart, PartResult, StepResult } from './part.ts';
import { RESULTS, readPartResult, writePartResult } from './results.ts';
import type { SoakSegment } from './soak/segment.ts';

const MINUTE_MS = 60_000;

/** The part of vitest's JSON report that counts. */
interface JsonReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      /** The data that a test has stored about itself. */
      readonly meta?: { readonly soak?: SoakSegment };
    }[];
  }[];
}

const failuresIn = ({ testResults }: JsonReport): readonly string[] =>
  testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const names = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
      const file = relative(process.cwd(), name);
      // A file that cannot be loaded has no failed test.
      return names.length > 0 ? names.map((test) => `${file}: ${test}`) : [`${file}: ${message.split('\n')[0]}`];
    });

const segmentsIn = ({ testResults }: JsonReport): readonly SoakSegment[] =>
  testResults.flatMap(({ assertionResults }) => assertionResults.flatMap(({ meta }) => meta?.soak ?? []));

const runTests = async (part: CampaignPart, cases: string | undefined): Promise<StepResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-'));
  const file = join(folder, 'report.json');
  const env = { SOAK: '1', ...part.env, ...(cases !== undefined && { CASES: cases }) };
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const code = await runVitest([...part.files, ...(part.words ?? []), ...reporters], { env });
    const text = await readFile(file, 'utf8').catch(() => undefined);
    // An interrupted step is not a failure: the next call runs this step again.
    if (text === undefined) throw new Error(`The step ended with ${code} and without a report, so it is not recorded`);
    const report = JSON.parse(text) as JsonReport;
    const failed = failuresIn(report);
    // Errors outside of tests fail the run, and no test.
    const rest = code !== 0 && failed.length === 0 ? [`vitest ended with ${code}`] : [];
    const segments = segmentsIn(report);
    return {
      passed: report.numPassedTests,
      failed: [...failed, ...rest],
      ...(segments.length > 0 && { segments }),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
};

const runOnce = async (part: CampaignPart, cases: string | undefined): Promise<StepResult> =>
  part.mutants ? runMutants(part, cases) : runTests(part, cases);

const git = (...words: readonly string[]): string => execFileSync('git', words, { encoding: 'utf8' }).trim();

/**
 * The commit that results are about.
 *
 * @throws {Error} if tracked files differ from it: such a run could not be repeated
 */
export const cleanCommit = (): string => {
  const changed = git(
    'status',
    '--porcelain',
    '--untracked-files=no',
    '--',
    '.',
    ':!test/campaign/results',
    ':!docs/campaign.md',
  );
  if (changed !== '')
    throw new Error(`Cannot record results: the working tree has changes; commit them first:\n${changed}`);
  return git('rev-parse', '--short=12', 'HEAD');
};

/** Number of cases of a part; 1 for a part that runs its files once. */
export const casesOf = ({ cases }: CampaignPart): number => cases?.all ?? 1;

const emptyResult = ({ name }: CampaignPart, commit: string): PartResult => ({
  part: name,
  commit,
  date: '',
  versions: { node: process.version, kubernetes: goModuleVersion('kube') },
  done: 0,
  passed: 0,
  failed: [],
  minutes: 0,
});

/** Runs the next step, and adds its result. */
const nextResult = async (part: CampaignPart, last: PartResult, once: typeof runOnce): Promise<PartResult> => {
  const began = performance.now();
  const count = Math.min(part.cases?.atOnce ?? 1, casesOf(part) - last.done);
  const cases = part.cases && `${(part.cases.first ?? 1) + last.done}+${count}`;
  const { passed, failed, mutants, segments = [] } = await once(part, cases);
  const named = cases === undefined || mutants ? failed : failed.map((name) => `CASES=${cases} ${name}`);
  return {
    ...last,
    date: new Date().toISOString().slice(0, 10),
    done: last.done + count,
    passed: last.passed + passed,
    failed: [...last.failed, ...named],
    ...(segments.length > 0 && { segments: [...(last.segments ?? []), ...segments] }),
    ...(mutants && { mutants: joinedMutants(last.mutants, mutants) }),
    // Many short steps: a sum of minutes that are rounded to one digit stays 0.
    minutes: Number((last.minutes + (performance.now() - began) / MINUTE_MS).toFixed(4)),
  };
};

/** Options of {@link runPart}. */
export interface RunPartOptions {
  readonly commit: string;
  /** No run of vitest begins after this many minutes. */
  readonly minutes: number;
  /** Runs one step. @default the tests of the part */
  readonly once?: typeof runOnce;
  /** Folder of the results. @default that of the committed ones */
  readonly folder?: string;
}

/**
 * Runs the cases of a part that its committed result does not have yet, and saves the result after each run of vitest. A result
 * of another commit is replaced.
 *
 * @returns the result; its `done` is less than {@link casesOf} if the time ended first
 */
export const runPart = async (
  part: CampaignPart,
  { commit, minutes, once = runOnce, folder = RESULTS }: RunPartOptions,
): Promise<PartResult> => {
  const last = readPartResult(part.name, folder);
  let result = last?.commit === commit && last.done < casesOf(part) ? last : emptyResult(part, commit);
  const startedAt = performance.now();
  while (result.done < casesOf(part) && performance.now() - startedAt < minutes * MINUTE_MS) {
    result = await nextResult(part, result, once);
    writePartResult(result, folder);
  }
  return result;
};
