import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { partsOf } from './parts.ts';

/** The text of a rule, and the start of each of its expressions by the id of the expression. */
export interface RuleSource {
  readonly text: string;
  readonly positions: Readonly<Record<string, number>>;
}

const startOf = (source: RuleSource, expr: Expr): number => source.positions[String(expr.id)] ?? 0;

/** Returns the start of the last part of an expression. */
const lastStartOf = (source: RuleSource, expr: Expr): number =>
  Math.max(startOf(source, expr), ...partsOf(expr).map((part) => lastStartOf(source, part)));

const skip = (text: string, from: number, pattern: RegExp): number => {
  const sticky = new RegExp(pattern.source, 'y');
  sticky.lastIndex = from;
  return from + (sticky.exec(text)?.[0].length ?? 0);
};

/** A string or bytes literal, which may contain the text of an operator. */
const STRING = /[rRbB]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/;

const LATE_OPERATORS: Readonly<Record<string, string>> = { '_&&_': '&&', '_||_': '||', '_?_:_': '?' };

/**
 * Returns the position that cel-go reports for an expression: the position of the bracket for a call, and the position of the
 * symbol for an operator. The parser of this library reports other positions: the position of the name for calls, and the
 * position of the first operand for some operators.
 */
export const offsetOf = (source: RuleSource, expr: Expr): number => {
  const start = startOf(source, expr);
  if (expr.exprKind.case !== 'callExpr') return start;
  const { function: name, args } = expr.exprKind.value;
  const late = LATE_OPERATORS[name];
  if (late !== undefined && args[0]) {
    const from = skip(source.text, lastStartOf(source, args[0]), STRING);
    return Math.max(start, source.text.indexOf(late, from));
  }
  if (name.startsWith('_[')) return start;
  if (/^[\w.]+$/.test(name)) return skip(source.text, start, /\s*\.?\s*[\w.]*\s*/);
  return skip(source.text, start, /\s*/);
};

/** Formats an error as cel-go does, with the line and a mark below it. */
export const positionedIssue = (text: string, offset: number, message: string): string => {
  const before = text.slice(0, offset).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = text.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
};
