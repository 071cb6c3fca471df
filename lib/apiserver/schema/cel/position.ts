import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { partsOf } from './parts.ts';

/** The text of a rule with the places of its parts. */
export interface Source {
  readonly text: string;
  readonly positions: Readonly<Record<string, number>>;
}

const startOf = (source: Source, expr: Expr): number => source.positions[String(expr.id)] ?? 0;

/** The last place that belongs to an expression. */
const endOf = (source: Source, expr: Expr): number =>
  Math.max(startOf(source, expr), ...partsOf(expr).map((part) => endOf(source, part)));

const skip = (text: string, from: number, pattern: RegExp): number => {
  const sticky = new RegExp(pattern.source, 'y');
  sticky.lastIndex = from;
  return from + (sticky.exec(text)?.[0].length ?? 0);
};

const LATE_OPERATORS: Readonly<Record<string, string>> = { '_&&_': '&&', '_||_': '||', '_?_:_': '?' };

/**
 * Where cel-go says that an expression stands: a call at its bracket, an operator at its sign. The parser here marks
 * calls at their names and some operators at their first operand.
 */
export const offsetOf = (source: Source, expr: Expr): number => {
  const start = startOf(source, expr);
  if (expr.exprKind.case !== 'callExpr') return start;
  const { function: name, args } = expr.exprKind.value;
  const late = LATE_OPERATORS[name];
  if (late !== undefined && args[0]) return Math.max(start, source.text.indexOf(late, endOf(source, args[0])));
  if (name.startsWith('_[')) return start;
  if (/^[\w.]+$/.test(name)) return skip(source.text, start, /\s*\.?\s*[\w.]*\s*/);
  return skip(source.text, start, /\s*/);
};

/** An error as cel-go shows it, with the line and a mark below. */
export const issueText = (text: string, offset: number, message: string): string => {
  const before = text.slice(0, offset).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = text.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
};
