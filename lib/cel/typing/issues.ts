import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { offsetOf, positionedIssue, type RuleSource } from './position.ts';
import { type CelType, dyn } from './types.ts';

interface Issue {
  readonly offset: number;
  readonly message: string;
}

/** The state of a type check. */
export interface Walk {
  readonly source: RuleSource;
  readonly issues: Issue[];
  /** Names of the variables that the expression uses. */
  readonly used: Set<string>;
  nextUnknown: number;
}

/** The initial state of a type check. */
export const startWalk = (source: RuleSource): Walk => ({ source, issues: [], used: new Set(), nextUnknown: 0 });

/** Adds an issue and returns the type `dyn`, which suppresses follow-up errors. */
export const report = (walk: Walk, expr: Expr, message: string): CelType => {
  walk.issues.push({ offset: offsetOf(walk.source, expr), message });
  return dyn;
};

/** Adds an issue for an undeclared variable, function or message type, and returns the type `dyn`. */
export const undeclared = (walk: Walk, expr: Expr, name: string): CelType =>
  report(walk, expr, `undeclared reference to '${name}' (in container '')`);

/** All issues in the format of cel-go, ordered by position. */
export const issuesText = ({ source, issues }: Walk): string =>
  issues
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, message }) => positionedIssue(source.text, offset, message))
    .join('\n');
