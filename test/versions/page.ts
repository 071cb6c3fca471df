import { readFileSync, writeFileSync } from 'node:fs';
import type { Results, VersionResult } from './results.ts';
import { kubernetesSuites, nodeSuites, type VersionSuite } from './suites.ts';

const file = new URL('../../docs/compatibility.md', import.meta.url);

/** The page as it is committed. */
export const readPage = (): string => readFileSync(file, 'utf8');

/** Writes the page. */
export const writePage = (results: Results): void => writeFileSync(file, pageOf(results));

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

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
    row(['tests', ...results.map(({ version }) => version)]),
    row(['---', ...results.map(() => '---')]),
    row(['date of the run', ...results.map(({ date }) => date)]),
    ...suites.map((suite) =>
      row([`${suite.shows} (\`${suite.file}\`)`, ...results.map((result) => cell(suite, result))]),
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
    'The tests of this page ran on each version in the tables, on the named day.',
    'All other tests run on the version of development alone: see [limits](limits.md#environments).',
    '`npm run test:versions -- --save` runs them and writes this page; [test/versions](../test/versions/README.md) describes how.',
    '',
    '## Kubernetes',
    '',
    'Each version is a real control plane (API server, controller manager, scheduler) built from its own sources, with etcd and kwok.',
    'Nodes and containers are simulated.',
    '',
    ...table(kubernetesSuites, results.kubernetes),
    '',
    'Skipped tests need a feature that the version lacks, or run in `npm run test:soak` alone.',
    'Differences between versions that the tests found:',
    '',
    '- Watch-lists (one request that reads everything and then watches) are on by default in Kubernetes 1.32 and from 1.34 on.',
    '  Elsewhere the API server refuses the first watch of each resource, and the operator lists and watches: three requests at the start instead of one.',
    '- Before 1.34 the API server ignores `maxLength` of an integer or string when it estimates the cost of a CEL rule.',
    '  It can refuse a definition for such a rule; use `pattern`, as `s.intOrString` and `s.quantity` do.',
    '- 1.30 refuses rules that use a word of CEL as the name of a field; the compiler refuses them for all versions.',
    '',
    '## Node.js',
    '',
    'The first version is the oldest that the package allows.',
    'The cluster is the Kubernetes version of development.',
    '',
    ...table(nodeSuites, results.node),
    ...failures(results),
  ].join('\n')}\n`;
