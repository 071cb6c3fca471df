import type { Expr, Expr_Call } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { patternOf } from '../pattern.ts';
import { durationOf, timestampOf } from '../time.ts';
import { report, type Walk } from './issues.ts';
import { MISSING_FUNCTIONS, SIGNATURES, type Signature } from './signatures.ts';
import { type Bindings, type CelType, dyn, isAssignable, substitute, typeText } from './types.ts';

const match = (signature: Signature, target: CelType | undefined, args: readonly CelType[]): CelType | undefined => {
  if ((signature.target === undefined) !== (target === undefined) || signature.args.length !== args.length)
    return undefined;
  const bindings: Bindings = new Map();
  if (target && signature.target && !isAssignable(target, signature.target, bindings)) return undefined;
  const fits = signature.args.every((expected, index) => isAssignable(args[index] ?? dyn, expected, bindings));
  return fits ? substitute(signature.result, bindings) : undefined;
};

const appliedTo = (target: CelType | undefined, args: readonly CelType[]): string =>
  `${target ? `${typeText(target)}.` : ''}(${args.map(typeText).join(', ')})`;

interface Called {
  readonly name: string;
  readonly target?: CelType | undefined;
  readonly args: readonly CelType[];
}

/**
 * Returns the result type of a call: the type of the matching overloads, or `dyn` if the overloads have different types. Reports
 * an error if no overload matches.
 *
 * @throws {StatusError} 501 for functions that only the real API server has
 */
export const resolveCall = (walk: Walk, expr: Expr, { name, target, args }: Called): CelType => {
  const results = (SIGNATURES.get(name) ?? []).flatMap((signature) => match(signature, target, args) ?? []);
  const [first] = results;
  if (first === undefined) {
    if (MISSING_FUNCTIONS.has(name)) throw notImplemented(`the function ${name} in CEL rules`);
    return report(walk, expr, `found no matching overload for '${name}' applied to '${appliedTo(target, args)}'`);
  }
  return results.every((one) => typeText(one) === typeText(first)) ? first : dyn;
};

const literalOf = (expr: Expr | undefined): string | undefined => {
  if (expr?.exprKind.case !== 'constExpr') return undefined;
  const { constantKind } = expr.exprKind.value;
  return constantKind.case === 'stringValue' ? constantKind.value : undefined;
};

const canCompile = (pattern: string): boolean => {
  try {
    patternOf(pattern);
    return true;
  } catch {
    return false;
  }
};

const LITERALS: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => durationOf(text) !== undefined,
  timestamp: (text) => /t/i.test(text) && timestampOf(text) !== undefined,
  matches: canCompile,
};

/** Checks a literal duration, timestamp or pattern in a call, because cel-go reports an invalid literal at compile time. */
export const checkLiteral = (walk: Walk, { function: name, args }: Expr_Call): void => {
  const argument = args.at(-1);
  const literal = literalOf(argument);
  const check = Object.hasOwn(LITERALS, name) ? LITERALS[name] : undefined;
  if (argument && literal !== undefined && check?.(literal) === false) {
    report(walk, argument, `invalid ${name} argument`);
  }
};
