import { readFileSync, writeFileSync } from 'node:fs';
import { markdownRow } from '#test/markdown-row.ts';
import type { Results } from './results.ts';

const file = new URL('../../docs/conformance.md', import.meta.url);

/** The page as it is committed. */
export const readPage = (): string => readFileSync(file, 'utf8');

/** Writes the page. */
export const writePage = (results: Results): void => writeFileSync(file, pageOf(results));

/** The group of a test, by the part of Kubernetes; the largest group is divided. */
const groupOf = (name: string): string => {
  const [, sig = '', rest = ''] = /^\[(sig-[a-z-]+)\] (.*)$/.exec(name) ?? [];
  if (sig !== 'sig-api-machinery') return sig;
  return `${sig}: ${rest.split(/ (?:\[|\(|should |must |removes |updates |works )/i)[0]}`;
};

const isConformance = (name: string): boolean => name.endsWith('[Conformance]');

interface Counts {
  passed: number;
  failed: number;
  outOfScope: number;
}

const listOf = (groups: Readonly<Record<string, readonly string[]>>): readonly string[] => Object.values(groups).flat();

const countsOf = ({ passed, failed, outOfScope }: Results, isMeant: (name: string) => boolean): Counts => ({
  passed: passed.filter(isMeant).length,
  failed: listOf(failed).filter(isMeant).length,
  outOfScope: listOf(outOfScope).filter(isMeant).length,
});

const table = (results: Results): readonly string[] => {
  const names = [...results.passed, ...listOf(results.failed), ...listOf(results.outOfScope)];
  const groups = [...new Set(names.map(groupOf))].toSorted();
  return [
    markdownRow(['group', 'passed', 'failed', 'out of scope']),
    markdownRow(['---', '---', '---', '---']),
    ...groups.map((group) => {
      const { passed, failed, outOfScope } = countsOf(results, (name) => groupOf(name) === group);
      return markdownRow([group, passed, failed, outOfScope]);
    }),
  ];
};

const items = (groups: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  Object.entries(groups).flatMap(([reason, names]) => [
    '',
    `**${reason}** (${names.length})`,
    '',
    ...names.map((name) => `- ${name}`),
  ]);

/** The results as a page. */
export const pageOf = (results: Results): string => {
  const official = countsOf(results, isConformance);
  const more = countsOf(results, (name) => !isConformance(name));
  const all = official.passed + official.failed + official.outOfScope;
  return `${[
    '# Kubernetes conformance results of the embedded cluster',
    '',
    `The conformance tests of Kubernetes (${all} in ${results.kubernetes}) decide whether a cluster conforms.`,
    '`npm run conformance` builds these tests from the sources of Kubernetes, and runs them against the [embedded cluster](embedded.md).',
    '`npm run test:soak` fails if a test fails that passed in the committed results.',
    '`npm run conformance -- --save` writes this page; [test/conformance](../test/conformance/README.md) describes the method.',
    '',
    markdownRow(['', 'passed', 'failed', 'out of scope']),
    markdownRow(['---', '---', '---', '---']),
    markdownRow([`conformance tests (${all})`, official.passed, official.failed, official.outOfScope]),
    markdownRow(['other tests, for features that the embedded cluster has', more.passed, more.failed, more.outOfScope]),
    '',
    'A test is out of scope if it needs real containers, or a kind that the embedded cluster does not serve (status 501).',
    'Tests out of scope do not run.',
    'The lists on this page have the names of tests in the sources of Kubernetes. A bold line is the reason for the list below it, with the number of its tests.',
    '',
    '## Results by group',
    '',
    ...table(results),
    '',
    '## Failed tests, with the reason',
    ...(Object.keys(results.failed).length === 0 ? ['', 'None.'] : items(results.failed)),
    '',
    '## Tests out of scope, with the reason',
    ...items(results.outOfScope),
    '',
    '## Passed tests',
    '',
    ...results.passed.map((name) => `- ${name}`),
  ].join('\n')}\n`;
};
