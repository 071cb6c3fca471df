import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { runVitest } from '#test/run-vitest.ts';
import type { SuiteResult, VersionResult } from './results.ts';
import type { VersionSuite } from './suites.ts';
import type { Target } from './target.ts';

/** The JSON report of vitest, as far as it is read here. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** The reason why the file could not be loaded, or why its hook failed. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
    }[];
  }[];
}

const suiteResult = (report: VitestReport, { file }: VersionSuite): SuiteResult => {
  const found = report.testResults.find(({ name }) => name.endsWith(file));
  const tests = found?.assertionResults ?? [];
  const named = (status: string): readonly string[] =>
    tests.filter((test) => test.status === status).map(({ fullName }) => fullName);
  // A hook that fails leaves its tests as skipped.
  const broken = found === undefined || (found.status === 'failed' && named('failed').length === 0);
  return {
    passed: named('passed').length,
    skipped: tests.length - named('passed').length - named('failed').length,
    failed: [...named('failed'), ...(broken ? [`the file: ${found?.message.split('\n')[0] ?? 'not run'}`] : [])],
  };
};

/** The results of the suites, by file. */
export const suiteResults = (
  report: VitestReport,
  suites: readonly VersionSuite[],
): Readonly<Record<string, SuiteResult>> =>
  Object.fromEntries(suites.map((suite) => [suite.file, suiteResult(report, suite)]));

/**
 * Runs the suites, with their output in that of this process. npm and other programs that the tests start find the tested
 * Node.js first.
 */
const runSuites = async (
  { suites, env }: Target,
  { program, report }: { readonly program: string; readonly report: string },
): Promise<void> => {
  const words = [
    ...['unit', 'cluster'].map((project) => `--project=${project}`),
    ...suites.map(({ file }) => file),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const path = [dirname(program), process.env['PATH'] ?? ''].join(delimiter);
  await runVitest(words, { program, env: { ...env, PATH: path } });
};

/**
 * Runs the suites of a version.
 * @throws {ControlPlaneError} when the version cannot be had
 */
export const runTarget = async (target: Target, today: string): Promise<VersionResult> => {
  const { version, program } = await target.provide();
  process.stdout.write(`\n=== ${target.subject} ${version}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'cdk8s-reconcile-versions-'));
  try {
    const report = join(folder, 'report.json');
    await runSuites(target, { program, report });
    const parsed = JSON.parse(await readFile(report, 'utf8')) as VitestReport;
    return { version, date: today, suites: suiteResults(parsed, target.suites) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
