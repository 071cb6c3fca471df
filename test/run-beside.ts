import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runVitest } from './run-vitest.ts';

/** Suites of a cluster wait more than they work, and what they wait for has leases and probes; so these take what is left. */
const COMPUTING = ['unit', 'architecture'];

const projects = (names: readonly string[]): readonly string[] => names.flatMap((name) => ['--project', name]);

const recordedIn = (folder: string, name: string): readonly string[] => [
  '--reporter=default',
  '--reporter=blob',
  `--outputFile.blob=${join(folder, 'blobs', `${name}.json`)}`,
];

/** The computing suites, silently: two runs that write to one screen cannot be read. What they say is shown if they break. */
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
 * Runs all suites: those of clusters, and beside them, at the lowest priority, those that only compute; then reports both as one run.
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
    // A run that ended before it could write its report is missing in the merged one.
    return Math.max(...codes, merged);
  } finally {
    await rm(folder, { recursive: true });
  }
};
