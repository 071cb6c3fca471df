import type {
  Constant,
  Expr,
  Expr_Call,
  Expr_Comprehension,
  Expr_CreateStruct,
  Expr_Select,
} from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';

import { issuesText, report, startWalk, undeclared, type Walk } from './issues.ts';
import { checkLiteral, resolveCall } from './overloads.ts';
import type { RuleSource } from './position.ts';
import { MISSING_FUNCTIONS, SIGNATURES } from './signatures.ts';
import { type CelType, dyn, isAssignable, listOf, mapOf, scalar, typeText } from './types.ts';

/** The result of type checking an expression. */
export interface Checked {
  readonly type: CelType;
  /** Errors in the format of cel-go, ordered by position; '' when there are none. */
  readonly issues: string;
  /** Names of the variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
}

interface Scope {
  readonly names: ReadonlyMap<string, CelType>;
}

/** A new type parameter, which stands for the unknown item type of an empty literal. */
const unknown = (walk: Walk): CelType => {
  walk.nextUnknown += 1;
  return { kind: 'param', name: `?${walk.nextUnknown}` };
};

const CONSTANTS: Readonly<Record<string, CelType>> = {
  boolValue: scalar('bool'),
  bytesValue: scalar('bytes'),
  doubleValue: scalar('double'),
  int64Value: scalar('int'),
  nullValue: scalar('null'),
  stringValue: scalar('string'),
  uint64Value: scalar('uint'),
};

const typeOfConstant = ({ constantKind }: Constant): CelType => CONSTANTS[constantKind.case ?? ''] ?? dyn;

/** Names of types. An expression can use them as values, as in `type(self) == string`. */
const TYPE_NAMES: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int list map null_type string timestamp type uint google.protobuf.Timestamp google.protobuf.Duration'.split(
    ' ',
  ),
);

const checkIdent = (walk: Walk, expr: Expr, { name, scope }: { name: string; scope: Scope }): CelType => {
  const type = scope.names.get(name);
  if (type !== undefined) {
    walk.used.add(name);
    return type;
  }
  return TYPE_NAMES.has(name) ? scalar('type') : undeclared(walk, expr, name);
};

const checkSelect = (walk: Walk, expr: Expr, { select, scope }: { select: Expr_Select; scope: Scope }): CelType => {
  const { operand, field, testOnly } = select;
  const type = operand ? checkExpr(walk, operand, scope) : dyn;
  const found = fieldType(walk, expr, { type, field });
  return testOnly ? scalar('bool') : found;
};

const fieldType = (walk: Walk, expr: Expr, { type, field }: { type: CelType; field: string }): CelType => {
  if (type.kind === 'dyn' || type.kind === 'param') return dyn;
  if (type.kind === 'map') return type.value;
  if (type.kind === 'object') return type.fields.get(field) ?? report(walk, expr, `undefined field '${field}'`);
  if (type.kind === 'optional') throw notImplemented('fields of optional values in CEL rules');
  return report(walk, expr, `type '${typeText(type)}' does not support field selection`);
};

/**
 * Checks that the items of a list literal, or the keys or the values of a map literal, have compatible types.
 *
 * @see github.com/google/cel-go v0.26.0 checker/checker.go (`HomogeneousAggregateLiterals`)
 */
const checkElements = (walk: Walk, elements: readonly Expr[], scope: Scope): CelType => {
  let joint: CelType | undefined;
  for (const element of elements) {
    const type = checkExpr(walk, element, scope);
    if (joint === undefined) joint = type;
    else if (!isAssignable(type, joint, new Map()) && !isAssignable(joint, type, new Map())) {
      report(walk, element, `expected type '${typeText(joint)}' but found '${typeText(type)}'`);
    }
  }
  return joint ?? unknown(walk);
};

const checkStruct = (
  walk: Walk,
  expr: Expr,
  { struct, scope }: { struct: Expr_CreateStruct; scope: Scope },
): CelType => {
  if (struct.messageName !== '') return undeclared(walk, expr, struct.messageName);
  if (struct.entries.some(({ optionalEntry }) => optionalEntry)) throw notImplemented('optional entries in CEL rules');
  const keys = struct.entries.flatMap(({ keyKind }) => (keyKind.case === 'mapKey' ? [keyKind.value] : []));
  const values = struct.entries.flatMap(({ value }) => (value ? [value] : []));
  return mapOf(checkElements(walk, keys, scope), checkElements(walk, values, scope));
};

const iteratedType = (walk: Walk, range: Expr, type: CelType): CelType => {
  if (type.kind === 'list') return type.item;
  if (type.kind === 'map') return type.key;
  if (type.kind === 'dyn' || type.kind === 'param') return dyn;
  return report(
    walk,
    range,
    `expression of type '${typeText(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
  );
};

const checkComprehension = (walk: Walk, fold: Expr_Comprehension, scope: Scope): CelType => {
  const { iterRange, accuInit, loopStep, loopCondition, result } = fold;
  if (!iterRange || !accuInit || !loopStep || !loopCondition || !result) return dyn;
  const item = iteratedType(walk, iterRange, checkExpr(walk, iterRange, scope));
  const accumulated = checkExpr(walk, accuInit, scope);
  const outer = new Map([...scope.names, [fold.accuVar, accumulated]]);
  const inner: Scope = { names: new Map([...outer, [fold.iterVar, item]]) };
  checkExpr(walk, loopCondition, inner);
  const step = checkExpr(walk, loopStep, inner);
  const known = accumulated.kind === 'list' ? step : accumulated;
  return checkExpr(walk, result, { names: new Map([...outer, [fold.accuVar, known]]) });
};

/** The dotted name of a called function, such as `lists.range`; undefined if the call has no simple name before the dot. */
const qualifiedName = (call: Expr_Call): string | undefined => {
  const kind = call.target?.exprKind;
  return kind?.case === 'identExpr' ? `${kind.value.name}.${call.function}` : undefined;
};

const TWO_VARIABLES = new Set([
  'all',
  'exists',
  'exists_one',
  'existsOne',
  'transformList',
  'transformMap',
  'transformMapEntry',
]);

const refuseMacros = (walk: Walk, expr: Expr, call: Expr_Call): boolean => {
  if (call.target && call.args.length >= 3 && TWO_VARIABLES.has(call.function)) {
    throw notImplemented('comprehensions with two variables in CEL rules');
  }
  if (call.target || call.function !== 'has') return false;
  report(walk, call.args[0] ?? expr, 'invalid argument to has() macro');
  return true;
};

/** Checks the operands of `&&` and `||`. Each operand that is not a boolean is a separate error. */
const checkLogical = (walk: Walk, args: readonly Expr[], scope: Scope): CelType => {
  for (const arg of args) {
    const type = checkExpr(walk, arg, scope);
    if (!isAssignable(type, scalar('bool'), new Map())) {
      report(walk, arg, `expected type 'bool' but found '${typeText(type)}'`);
    }
  }
  return scalar('bool');
};

const checkCall = (walk: Walk, expr: Expr, { call, scope }: { call: Expr_Call; scope: Scope }): CelType => {
  const { function: name } = call;
  if (name === '_&&_' || name === '_||_') return checkLogical(walk, call.args, scope);
  if (name === '@not_strictly_false') return scalar('bool');
  if (name.startsWith('_?.') || name.startsWith('_[?')) throw notImplemented('optional fields in CEL rules');
  if (refuseMacros(walk, expr, call)) return dyn;
  const qualified = qualifiedName(call);
  const namespace = qualified?.slice(0, qualified.indexOf('.')) ?? '';
  const isQualified =
    qualified !== undefined &&
    !scope.names.has(namespace) &&
    (SIGNATURES.has(qualified) || MISSING_FUNCTIONS.has(qualified));
  const target = call.target && !isQualified ? checkExpr(walk, call.target, scope) : undefined;
  const args = call.args.map((arg) => checkExpr(walk, arg, scope));
  const called = isQualified ? qualified : name;
  if (!SIGNATURES.has(called)) {
    if (MISSING_FUNCTIONS.has(called)) throw notImplemented(`the function ${called} in CEL rules`);
    return undeclared(walk, expr, called);
  }
  const type = resolveCall(walk, expr, { name: called, target, args });
  checkLiteral(walk, call);
  return type;
};

const checkExpr = (walk: Walk, expr: Expr, scope: Scope): CelType => {
  const { exprKind } = expr;
  switch (exprKind.case) {
    case 'constExpr':
      return typeOfConstant(exprKind.value);
    case 'identExpr':
      return checkIdent(walk, expr, { name: exprKind.value.name, scope });
    case 'selectExpr':
      return checkSelect(walk, expr, { select: exprKind.value, scope });
    case 'callExpr':
      return checkCall(walk, expr, { call: exprKind.value, scope });
    case 'listExpr':
      return listOf(checkElements(walk, exprKind.value.elements, scope));
    case 'structExpr':
      return checkStruct(walk, expr, { struct: exprKind.value, scope });
    case 'comprehensionExpr':
      return checkComprehension(walk, exprKind.value, scope);
    case undefined:
      return dyn;
  }
};

/**
 * Checks the types of an expression, as cel-go in the API server does.
 *
 * @throws {StatusError} 501 for functions and syntax that the real API server has and this type checker does not support
 * @see github.com/google/cel-go v0.26.0 checker/checker.go
 */
export const checkTypes = (expr: Expr, source: RuleSource, variables: ReadonlyMap<string, CelType>): Checked => {
  const walk = startWalk(source);
  const type = checkExpr(walk, expr, { names: variables });
  return { type, issues: issuesText(walk), variables: walk.used };
};
