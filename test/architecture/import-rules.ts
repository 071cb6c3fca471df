import type { IRegularForbiddenRuleType } from 'dependency-cruiser';
import type { Row } from './import-row.ts';
import { importTable } from './import-table.ts';

const filesOf = (name: string): string => {
  const files = importTable[name]?.files;
  if (files === undefined) throw new RangeError(`Cannot find the row "${name}" in the import table`);
  return files;
};

const escaped = (text: string): string => text.replaceAll(/[.+?^$\\/]/g, String.raw`\$&`);

/** Packages are matched at their installed path, which may be above the checked tree. */
const installed = (names: readonly string[]): readonly string[] =>
  names.map((name) => `(?:^|/)node_modules/${escaped(name)}/`);

const builtin = (names: readonly string[]): readonly string[] => names.map((name) => `^(?:node:)?${escaped(name)}$`);

const list = (title: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`${title}${names.join(', ')}`];

const allowanceOf = ({ rows, packages, types, builtins }: Row): string => {
  const modules = typeof builtins === 'string' ? (builtins === 'all' ? ['*'] : []) : builtins;
  const parts = [
    ...list('', rows),
    ...list('packages ', packages),
    ...list('types of ', types),
    ...list(
      '',
      modules.map((name) => `node:${name}`),
    ),
  ];
  return parts.length === 0 ? 'only itself' : parts.join('; ');
};

interface RuleText {
  readonly name: string;
  readonly comment: string;
}

const rule = ({ name, comment }: RuleText, edge: Pick<IRegularForbiddenRuleType, 'from' | 'to'>) =>
  ({ name, comment, severity: 'error', ...edge }) satisfies IRegularForbiddenRuleType;

/** Forbids everything that a row does not name; built-in modules are matched by their type, because there are many. */
const rulesOf = ([name, row]: readonly [string, Row]): IRegularForbiddenRuleType[] => {
  const text = { name, comment: `may import ${allowanceOf(row)} — ${row.reason}` };
  const from = { path: row.files };
  const project = [row.files, ...row.rows.map(filesOf)];
  const packages = installed([...row.packages, ...row.types]);
  const builtins = typeof row.builtins === 'string' ? [] : builtin(row.builtins);
  return [
    rule(text, {
      from,
      to: { couldNotResolve: false, dependencyTypesNot: ['core'], pathNot: [...project, ...packages] },
    }),
    ...(row.builtins === 'all'
      ? []
      : [rule(text, { from, to: { dependencyTypes: ['core'], pathNot: [...builtins] } })]),
    ...(row.types.length === 0
      ? []
      : [rule(text, { from, to: { path: [...installed(row.types)], dependencyTypesNot: ['type-only'] } })]),
  ];
};

const SOURCE = '^(?:lib|constructs|apps)/';

const unknown = { path: SOURCE, pathNot: Object.values(importTable).map(({ files }) => files) };

const knownFolder = {
  name: 'known-folder',
  comment: 'the import table has no row for this file: add one, or move the file',
};

/** Rules that hold whatever the table says. */
const laws: readonly IRegularForbiddenRuleType[] = [
  rule(
    {
      name: 'no-cycle',
      comment: 'files that import each other, be it for types, cannot be understood or loaded alone',
    },
    { from: {}, to: { circular: true } },
  ),
  rule(
    { name: 'resolved', comment: 'no file and no installed package answers to this name, so no rule can judge it' },
    { from: { path: SOURCE }, to: { couldNotResolve: true } },
  ),
  rule(knownFolder, { from: unknown, to: {} }),
  rule(knownFolder, { from: { ...unknown, orphan: true }, to: {} }),
  rule(
    { name: 'lib-at-the-bottom', comment: 'lib is what constructs, apps and tests build on, never the reverse' },
    { from: { path: '^lib/' }, to: { path: '^(?:constructs|apps|test)/' } },
  ),
  rule(
    { name: 'apps-at-the-top', comment: 'an entry point is never imported: it runs when it is loaded' },
    { from: { pathNot: '^(?:apps|test)/' }, to: { path: '^apps/' } },
  ),
  rule(
    { name: 'no-tests-inside', comment: 'product code may not load test code, not even the demo' },
    { from: { path: SOURCE }, to: { path: '^test/' } },
  ),
  rule(
    { name: 'one-client', comment: 'only lib/kube speaks to an API server, and one folder to registries of images' },
    {
      from: { path: SOURCE, pathNot: '^lib/(?:kube|cli/verbs/image/registry)/' },
      to: { path: [...installed(['@kubernetes/client-node', 'undici'])] },
    },
  ),
  rule(
    { name: 'one-logger', comment: 'only lib/telemetry knows which logger is behind our interface' },
    { from: { path: SOURCE, pathNot: '^lib/telemetry/' }, to: { path: [...installed(['pino'])] } },
  ),
];

/** The import table and the laws in the format of dependency-cruiser. */
export const importRules: readonly IRegularForbiddenRuleType[] = [
  ...Object.entries(importTable).flatMap(rulesOf),
  ...laws,
];
