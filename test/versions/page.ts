import { readFileSync, writeFileSync } from 'node:fs';
import { markdownRow } from '#test/markdown-row.ts';
import type { Results, VersionResult } from './results.ts';
import { kubernetesSuites, nodeSuites, type VersionSuite } from './suites.ts';

const file = new URL('../../docs/compatibility.md', import.meta.url);

/** The page as it is committed. */
export const readPage = (): string => readFileSync(file, 'utf8');

/** Writes the page. */
export const writePage = (results: Results): void => writeFileSync(file, pageOf(results));

const cell = (suite: VersionSuite, { suites }: VersionResult): string => {
  const result = suites[suite.file];
  if (result === undefined) return 'not run';
  const { passed, skipped, failed } = result;
  const counts = [
    ...(failed.length > 0 ? [`**${failed.length} failed**`] : []),
    `${passed} passed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return counts.join(', ');
};

const inOrder = (lines: Readonly<Record<string, VersionResult>>): readonly VersionResult[] =>
  Object.entries(lines)
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([, result]) => result);

const table = (suites: readonly VersionSuite[], lines: Readonly<Record<string, VersionResult>>): readonly string[] => {
  const results = inOrder(lines);
  if (results.length === 0) return ['No complete run is recorded yet.'];
  return [
    markdownRow(['tests', ...results.map(({ version }) => version)]),
    markdownRow(['---', ...results.map(() => '---')]),
    markdownRow(['date of the run', ...results.map(({ date }) => date)]),
    ...suites.map((suite) =>
      markdownRow([`${suite.shows} (\`${suite.file}\`)`, ...results.map((result) => cell(suite, result))]),
    ),
  ];
};

const failures = (results: Results): readonly string[] => {
  const all = [...inOrder(results.kubernetes), ...inOrder(results.node)];
  const named = all.flatMap(({ version, suites }) =>
    Object.values(suites).flatMap(({ failed }) => failed.map((name) => `- ${version}: ${name}`)),
  );
  return named.length === 0 ? [] : ['', '## Failed', '', ...named];
};

/** The results as a page. */
export const pageOf = (results: Results): string =>
  `${[
    '# Tested versions',
    '',
    'The tables on this page have the results of the tests that depend on the version of Kubernetes or Node.js, and the date of each run.',
    'All other tests run only on one version of Kubernetes and Node.js: see [limits](limits.md#environments).',
    '`npm run test:versions -- --save` runs these tests, and writes this page; [test/versions](../test/versions/README.md) describes the method.',
    '',
    '## Kubernetes',
    '',
    'For each version, the tests use a real control plane (API server, controller manager, scheduler) that is built from the sources of this version, with etcd.',
    'kwok simulates nodes and containers.',
    '',
    ...table(kubernetesSuites, results.kubernetes),
    '',
    'A test is skipped if it needs a feature that the version lacks, or if it runs only in `npm run test:soak`.',
    'The tests found these differences between the versions:',
    '',
    '- A watch-list is one request that lists all objects of a resource and then watches them. Watch-lists are on by default in Kubernetes 1.32, and in 1.34 and later.',
    '  Other versions refuse the watch-list of each resource. The operator then sends a list and a watch, so it sends three requests per resource at its start instead of one.',
    '- Before 1.34, the API server ignores the `maxLength` of a field that can be an integer or a string when it estimates the cost of a CEL rule.',
    '  So it can refuse a CRD with a rule about such a field. Use `pattern` instead of a rule, as `s.intOrString` and `s.quantity` do.',
    '- Kubernetes 1.30 refuses a CEL rule that uses a reserved word of CEL as the name of a field. The compiler of definitions refuses such rules for all versions.',
    '',
    '## Node.js',
    '',
    'The first version in the table is the oldest version that the package supports.',
    'The tests use the Kubernetes version on which the project is developed.',
    '',
    ...table(nodeSuites, results.node),
    ...failures(results),
  ].join('\n')}\n`;
