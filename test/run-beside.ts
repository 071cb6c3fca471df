import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runVitest } from './run-vitest.ts';

/**
 * Suites with a cluster mostly wait, and their clusters have leases and probes; so these suites run at low priority.
 */
const COMPUTING = ['unit', 'architecture'];

/** The largest number of failed files that run again. */
const FEW = 5;

const projects = (names: readonly string[]): readonly string[] => names.flatMap((name) => ['--project', name]);

interface RecordedRun {
  /** Folder of the tests: the repository. */
  readonly root: string;
  /** Folder of the reports. */
  readonly folder: string;
}

const recordedAs = (name: string, { root, folder }: RecordedRun): readonly string[] => [
  `--root=${root}`,
  '--reporter=default',
  '--reporter=blob',
  `--outputFile.blob=${join(folder, 'blobs', `${name}.json`)}`,
  '--reporter=json',
  `--outputFile.json=${join(folder, `${name}.json`)}`,
];

/**
 * Runs the computing suites without output: the output of two runs on one screen is not readable. The output is printed when
 * they fail.
 */
const compute = async (run: RecordedRun): Promise<number> => {
  const path = join(run.folder, 'computing.txt');
  const file = await open(path, 'w');
  const words = [...projects(COMPUTING), ...recordedAs('computing', run)];
  const code = await runVitest(words, { yields: true, stdio: ['ignore', file.fd, file.fd] });
  await file.close();
  if (code !== 0) process.stderr.write(await readFile(path));
  return code;
};

/** The test files with a failure in the recorded run `name`; none if the run ended before it wrote its report. */
const failedFiles = async (name: string, { folder }: RecordedRun): Promise<readonly string[]> => {
  const report = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => '{"testResults":[]}');
  const { testResults } = JSON.parse(report) as { testResults: readonly { name: string; status: string }[] };
  return testResults.filter(({ status }) => status === 'failed').map(({ name: path }) => path);
};

/**
 * Runs the failed files once more, one after the other, after all other suites have ended. If a file passes now, the load caused
 * its failure, for example because a process ended too late. Such a file does not fail the run, and is printed as flaky. More
 * failed files than {@link FEW} do not run again, because their cause is not the load.
 */
const runAgain = async (failed: readonly string[], run: RecordedRun): Promise<void> => {
  if (failed.length === 0 || failed.length > FEW) return;
  const words = [...projects([...COMPUTING, 'cluster*']), '--no-file-parallelism', ...recordedAs('again', run)];
  if ((await runVitest([...failed, ...words])) !== 0) return;
  for (const path of failed)
    process.stderr.write(`!!! FLAKY: ${relative(run.root, path)} failed beside other suites, and passed alone\n`);
};

/**
 * Runs all suites: those with clusters, and concurrently at the lowest priority those that only compute. Reports both
 * as one run.
 * Resolves with the exit code: 0 when all passed.
 *
 * @param root - the folder of the tests
 */
export const runBesideEachOther = async (root = process.cwd()): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), 'cdk8s-reconcile-tests-'));
  const run = { root, folder };
  const env = { TESTS_STARTED_AT: String(Date.now()) };
  try {
    const codes = await Promise.all([
      runVitest([...projects(['cluster*']), ...recordedAs('cluster', run)]),
      compute(run),
    ]);
    const failed = await Promise.all([failedFiles('cluster', run), failedFiles('computing', run)]);
    await runAgain(failed.flat(), run);
    // If a file ran twice, the merged report has the second run.
    const merged = await runVitest([`--root=${root}`, `--merge-reports=${join(folder, 'blobs')}`], { env });
    // The merged report lacks a run that ended without a report, and errors outside of any test file.
    const unexplained = codes.filter((_, index) => failed[index]?.length === 0);
    return Math.max(...unexplained, merged);
  } finally {
    await rm(folder, { recursive: true });
  }
};
