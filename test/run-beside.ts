import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runVitest } from './run-vitest.ts';

/**
 * Suites with a cluster mostly wait, and their clusters have leases and probes; so these suites run at low priority.
 */
const COMPUTING = ['unit', 'architecture'];

const projects = (names: readonly string[]): readonly string[] => names.flatMap((name) => ['--project', name]);

const recordedIn = (folder: string, name: string): readonly string[] => [
  '--reporter=default',
  '--reporter=blob',
  `--outputFile.blob=${join(folder, 'blobs', `${name}.json`)}`,
];

/**
 * Runs the computing suites without output: the output of two runs on one screen is not readable. It is printed when
 * they fail.
 */
const compute = async (folder: string): Promise<number> => {
  const path = join(folder, 'computing.txt');
  const file = await open(path, 'w');
  const words = [...projects(COMPUTING), ...recordedIn(folder, 'computing')];
  const code = await runVitest(words, { yields: true, stdio: ['ignore', file.fd, file.fd] });
  await file.close();
  if (code !== 0) process.stderr.write(await readFile(path));
  return code;
};

/**
 * Runs all suites: those with clusters, and concurrently at the lowest priority those that only compute. Reports both
 * as one run.
 * Resolves with the exit code: 0 when all passed.
 */
export const runBesideEachOther = async (): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), 'cdk8s-reconcile-tests-'));
  const env = { TESTS_STARTED_AT: String(Date.now()) };
  try {
    const codes = await Promise.all([
      runVitest([...projects(['cluster*']), ...recordedIn(folder, 'cluster')]),
      compute(folder),
    ]);
    const merged = await runVitest([`--merge-reports=${join(folder, 'blobs')}`], { env });
    // A run that ended before it wrote its report is missing in the merged one.
    return Math.max(...codes, merged);
  } finally {
    await rm(folder, { recursive: true });
  }
};
