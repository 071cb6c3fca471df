import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { issueText, offsetOf, type Source } from './position.ts';
import { type CelType, dyn } from './types.ts';

/** What is wrong, and where. */
interface Issue {
  readonly offset: number;
  readonly message: string;
}

/** What a check of types has found so far. */
export interface Walk {
  readonly source: Source;
  readonly issues: Issue[];
  /** Names of variables that were used. */
  readonly used: Set<string>;
  nextUnknown: number;
}

/** A check that has found nothing yet. */
export const startWalk = (source: Source): Walk => ({ source, issues: [], used: new Set(), nextUnknown: 0 });

/** Reports an issue. The type is that of what is wrong already: nothing more is said of it. */
export const report = (walk: Walk, expr: Expr, message: string): CelType => {
  walk.issues.push({ offset: offsetOf(walk.source, expr), message });
  return dyn;
};

/** Reports a name that nothing has. */
export const undeclared = (walk: Walk, expr: Expr, name: string): CelType =>
  report(walk, expr, `undeclared reference to '${name}' (in container '')`);

/** All issues as cel-go shows them, in the order of their places. */
export const issuesText = ({ source, issues }: Walk): string =>
  issues
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, message }) => issueText(source.text, offset, message))
    .join('\n');
