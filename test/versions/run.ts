import { delimiter, dirname } from 'node:path';
import { runReported, type VitestReport } from '#test/run-vitest.ts';
import type { SuiteResult, VersionResult } from './results.ts';
import type { VersionSuite } from './suites.ts';
import type { Target } from './target.ts';

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
 * Runs the suites of a version.
 * @throws {ControlPlaneError} when the version cannot be had
 */
export const runTarget = async (target: Target, today: string): Promise<VersionResult> => {
  const { version, program } = await target.provide();
  process.stdout.write(`\n=== ${target.subject} ${version}\n`);
  const words = [
    ...['unit', 'cluster'].map((project) => `--project=${project}`),
    ...target.suites.map(({ file }) => file),
  ];
  // npm and other programs that the tests start find the tested Node.js first.
  const path = [dirname(program), process.env['PATH'] ?? ''].join(delimiter);
  const { code, report } = await runReported(words, { program, env: { ...target.env, PATH: path } });
  if (report === undefined) throw new Error(`vitest ended with ${code} and without a report`);
  return { version, date: today, suites: suiteResults(report, target.suites) };
};
