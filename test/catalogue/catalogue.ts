import { inspect } from 'node:util';
import { OPERATOR_CODES } from '#constructs/operator/check/codes.ts';
import { formatIssue, type Issue } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import { CHANGE_CODES } from '#lib/kind/evolution/codes.ts';
import { SCHEMA_LINTS, SHAPE_LINTS } from '#lib/kind/lint/index.ts';
import { SCHEMA_RULES, SHAPE_RULES } from '#lib/kind/rules/index.ts';
import { VERSIONS_RULES } from '#lib/kind/versions/rules.ts';
import { webhookServed } from '#lib/kind/versions/webhook.ts';
import { BAD_OPERATORS } from '#test/unit/bad-input/operators.ts';
import { LINT_CASES } from '#test/unit/kind/lint-cases.ts';
import type { RuleCase } from '#test/unit/kind/rule-cases/rule-case.ts';
import { baseShape, RULE_CASES } from '#test/unit/kind/rule-cases.ts';
import { VERSIONS_CASES } from '#test/unit/kind/versions/versions-cases.ts';
import { CHANGES } from './changes.ts';
import { definitionIssues, operatorIssues } from './issues.ts';
import { ruleMeanings } from './meanings.ts';

/** One code of an error: its meaning, a refused example, and an accepted example. */
export interface Entry {
  readonly code: string;
  readonly title: string;
  readonly meaning: string;
  readonly sources: readonly string[];
  readonly refused: unknown;
  /** The issues of the refused example. */
  readonly issues: readonly Issue[];
  readonly accepted?: unknown;
}

const SEVERITIES = new Map([...SHAPE_LINTS, ...SCHEMA_LINTS].map(({ id, severity }) => [id, severity]));

const titleOf = (code: string): string => (SEVERITIES.get(code) === 'lint' ? `\`${code}\` (lint)` : `\`${code}\``);

const entryOfRule = (code: string, cases: readonly RuleCase[]): Entry => {
  const example = cases.find(({ rule }) => rule === code);
  const { text: meaning = '', sources = [] } = ruleMeanings().get(code) ?? {};
  const issues = definitionIssues({ ...baseShape, ...example?.refused }).filter(({ rule }) => rule === code);
  return {
    code,
    title: titleOf(code),
    meaning,
    sources,
    refused: example?.refused,
    issues,
    accepted: example?.accepted,
  };
};

/** Removes the position of a function, which depends on the folder of the clone. In a test runner, the line is missing. */
const withoutPlace = (issue: Issue): Issue => ({ ...issue, message: issue.message.replace(/ \(\/[^)]+\)/, '') });

const entryOfOperator = ([code, meaning]: readonly [string, string]): Entry => {
  const props = BAD_OPERATORS.find(({ rule }) => rule === code)?.props ?? {};
  const issues = operatorIssues(props).filter(({ rule }) => rule === code);
  return { code, title: titleOf(code), meaning, sources: [], refused: props, issues: issues.map(withoutPlace) };
};

const entryOfChange = ([code, meaning]: readonly [string, string]): Entry => {
  const change = CHANGES.find(({ issues }) => issues.some(({ rule }) => rule === code));
  const issues = change?.issues.filter(({ rule }) => rule === code) ?? [];
  return { code, title: titleOf(code), meaning, sources: [], refused: change?.refused, issues };
};

const entryOfVersions = (code: string): Entry => {
  const shape = VERSIONS_CASES.find(({ found }) => found.some((each) => each.startsWith(`${code} at `)))?.shape;
  const { text: meaning = '', sources = [] } = ruleMeanings().get(code) ?? {};
  const issues = shape ? definitionIssues(shape).filter(({ rule }) => rule === code) : [];
  const { version, served, versions } = shape ?? {};
  const refused = { version, ...(served !== undefined && { served }), ...(versions && { versions }) };
  return { code, title: titleOf(code), meaning, sources, refused, issues };
};

const rules = [...SHAPE_RULES, ...SCHEMA_RULES].map(({ id }) => entryOfRule(id, RULE_CASES));
const versions = [...VERSIONS_RULES, webhookServed].map(({ id }) => entryOfVersions(id));
const lints = [...SHAPE_LINTS, ...SCHEMA_LINTS].map(({ id }) => entryOfRule(id, LINT_CASES));
const operator = Object.entries(OPERATOR_CODES).map(entryOfOperator);
const changes = Object.entries(CHANGE_CODES).map(entryOfChange);

/** All entries, by chapter. */
export const CHAPTERS: readonly {
  readonly title: string;
  readonly text: string;
  readonly entries: readonly Entry[];
}[] = [
  {
    title: 'Rules of a definition',
    text: 'An API server would refuse these definitions, or they would lose data or mislead users.\n`compileCrd` throws `InvalidDefinitionError`.\nA definition cannot make exceptions from these rules.',
    entries: rules,
  },
  {
    title: 'Versions of a kind',
    text: 'These are errors between versions.\n`compileCrd` throws `InvalidDefinitionError`.\nAn error in one of several versions has a code of the other chapters, and a path that begins with the version.',
    entries: versions,
  },
  {
    title: 'Conventions',
    text: 'A server accepts these definitions, but they cause problems later; `Operator` checks them.\nA lint can have an exception with a reason in `lintExceptions`, which an annotation of the CRD records; the others are errors.',
    entries: lints,
  },
  {
    title: 'Operators and their kinds',
    text: '`Operator` throws `InvalidOperatorError` with all problems at once.\nPaths begin with the kind, if there is one.',
    entries: operator,
  },
  {
    title: 'Changes of what was released',
    text: '`Operator` with `released` throws `BreakingChangeError`.\nA change can be accepted with a reason in `released.accept`.',
    entries: changes,
  },
];

/** Plain data, without functions and without marks of builders. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (!isPlainObject(value)) return value;
  const shown = Object.entries(value).filter(([key, member]) => !key.startsWith('~') && typeof member !== 'function');
  return Object.fromEntries(shown.map(([key, member]) => [key, plain(member)]));
};

const code = (value: unknown): string =>
  `\`\`\`ts\n${inspect(plain(value), { depth: 12, compact: 4, breakLength: 110, maxStringLength: 80 })}\n\`\`\``;

const isEmpty = (value: unknown): boolean =>
  value === undefined || (isPlainObject(value) && Object.keys(value).length === 0);

const entryText = ({ title, meaning, sources, refused, issues, accepted }: Entry): string =>
  [
    `### ${title}`,
    // One sentence a line.
    meaning.replaceAll(/(?<=\.\)?) (?=[A-Z`])/g, '\n'),
    `Refused:\n\n${code(refused)}`,
    issues
      .slice(0, 1)
      .map((issue) => `> ${formatIssue(issue)}`)
      .join('\n'),
    ...(isEmpty(accepted) ? [] : [`Accepted:\n\n${code(accepted)}`]),
    ...sources.map((source) => `Source: ${source}`),
  ].join('\n\n');

/** The catalogue as Markdown. */
export const catalogueText = (): string =>
  `${[
    '# Error catalogue',
    'This page lists all error codes with which synth refuses a definition, an `Operator` or a release.\n`npm run errors` generates it from the rules and their tests.\nA message has the form `path: what is wrong (value) [code]; how to fix it`.\nThe examples are the refused and accepted definitions of the tests, reduced to the relevant fields.',
    ...CHAPTERS.flatMap(({ title, text, entries }) => [`## ${title}`, text, ...entries.map(entryText)]),
  ].join('\n\n')}\n`;
