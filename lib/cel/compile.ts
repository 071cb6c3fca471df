import {
  type CelInput,
  type CelResult,
  CelScalar,
  celEnv,
  celFunc,
  celMethod,
  isCelError,
  listType,
  plan,
} from '@bufbuild/cel';
import { type Expr, ExprSchema } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { clone, create } from '@bufbuild/protobuf';
import type { StructuralSchema, ValidationRule } from '#lib/apiserver/machinery/schema.ts';
import { isNotImplemented, notImplemented, StatusError } from '#lib/apiserver/machinery/status.ts';
import { conversionFunctions } from './functions/conversion-functions.ts';
import { listFunctions } from './functions/list-functions.ts';
import { stringFunctions } from './functions/string-functions.ts';
import { type ParsedCel, parseCel } from './parse.ts';
import { followPath } from './rule-field-path.ts';
import { checkTypes } from './typing/check.ts';
import { partsOf } from './typing/parts.ts';
import { positionedIssue } from './typing/position.ts';
import { type CelType, optionalOf, typeText } from './typing/types.ts';

/** The values of the variables of an expression. */
export interface Variables {
  readonly self: CelInput;
  readonly oldSelf: CelInput;
}

/** An expression that can be evaluated. */
export type Program = (variables: Variables) => CelResult;

/**
 * A compiled rule. A rule that does not compile has an error and no program. An empty rule has neither, like a rule that only the
 * real API server can compile.
 */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: Program;
  /** The compile error, with the text of the real API server. */
  readonly error?: string;
  /**
   * The 501 error of a rule, or of its `messageExpression`, that the real API server can compile and this library cannot. If only
   * `messageExpression` is concerned, the rule has a program.
   */
  readonly missing?: StatusError;
  readonly messageProgram?: Program;
  readonly messageError?: string;
  readonly usesOldSelf: boolean;
  /** Path that is appended to the path of an error; '' if the rule has no valid `fieldPath`. */
  readonly fieldPath: string;
}

/**
 * Maximum number of steps of all loops in one evaluation. A real server stops an evaluation at a cost of 1,000,000, and counts at
 * least 3 for each step of a loop.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/apis/cel/config.go (`PerCallLimit`)
 */
const STEP_LIMIT = 300_000;

let steps = 0;

/**
 * The name of the function that counts steps. A call of this function is inserted into the condition of every loop, to limit the
 * evaluation.
 */
const STEP = '@step';

const countStep = (condition: boolean): boolean => {
  steps += 1;
  if (steps > STEP_LIMIT) throw new Error('operation cancelled: actual cost limit exceeded');
  return condition;
};

const LIST = listType(CelScalar.DYN);

/**
 * At run time, an optional value is a list of at most one item. Only the type checker distinguishes optional values from lists.
 */
const optionalFunctions = [
  celMethod('hasValue', LIST, [], CelScalar.BOOL, function () {
    return this.size > 0;
  }),
  celMethod('value', LIST, [], CelScalar.DYN, function () {
    if (this.size === 0) throw new Error('optional.none() dereference');
    return this.get(0) ?? null;
  }),
  celMethod('orValue', LIST, [CelScalar.DYN], CelScalar.DYN, function (otherwise) {
    return this.size === 0 ? otherwise : (this.get(0) ?? null);
  }),
];

const environment = celEnv({
  variables: { self: CelScalar.DYN, oldSelf: CelScalar.DYN },
  funcs: [
    ...conversionFunctions,
    ...stringFunctions,
    ...listFunctions,
    ...optionalFunctions,
    celFunc(STEP, [CelScalar.BOOL], CelScalar.BOOL, countStep),
  ],
});

const withStepCount = (condition: Expr): Expr =>
  create(ExprSchema, {
    id: condition.id,
    exprKind: { case: 'callExpr', value: { function: STEP, args: [condition] } },
  });

const countLoops = (expr: Expr): void => {
  for (const part of partsOf(expr)) countLoops(part);
  if (expr.exprKind.case !== 'comprehensionExpr') return;
  const fold = expr.exprKind.value;
  if (fold.loopCondition) fold.loopCondition = withStepCount(fold.loopCondition);
};

const toProgram = (expr: Expr): Program => {
  const counted = clone(ExprSchema, expr);
  countLoops(counted);
  const run = plan(environment, counted);
  return (variables) => {
    steps = 0;
    return run({ self: variables.self, oldSelf: variables.oldSelf });
  };
};

/** Syntax that cel-go supports, and the npm package `@bufbuild/cel` does not. */
const OPTIONAL_SYNTAX = /\.\s*\?|\[\s*\?|\{\s*\?|`/;

const withoutTexts = (text: string): string => text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""');

const syntaxIssue = (text: string, error: unknown): string => {
  const [, line = '1', column = '1', what = String(error)] =
    /^<input>:(\d+):(\d+): (.*)$/s.exec(error instanceof Error ? error.message : '') ?? [];
  const before = text.split('\n').slice(0, Number(line) - 1);
  const offset = before.reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1;
  return positionedIssue(text, offset, `Syntax error: ${what}`);
};

interface Expression {
  readonly type: CelType;
  readonly program: Program;
  readonly variables: ReadonlySet<string>;
}

const compileExpression = (text: string, variables: ReadonlyMap<string, CelType>): Expression | { issues: string } => {
  let parsed: ParsedCel;
  try {
    parsed = parseCel(text);
  } catch (error) {
    if (OPTIONAL_SYNTAX.test(withoutTexts(text))) throw notImplemented('optional syntax in CEL rules');
    return { issues: syntaxIssue(text, error) };
  }
  const positions = parsed.sourceInfo?.positions ?? {};
  const checked = checkTypes(parsed.expr, { text, positions }, variables);
  if (checked.issues !== '') return { issues: checked.issues };
  return { type: checked.type, program: toProgram(parsed.expr), variables: checked.variables };
};

type Compiled = Omit<CompiledRule, 'rule' | 'fieldPath'>;

const compileIfKnown = (text: string, variables: ReadonlyMap<string, CelType>) => {
  try {
    return compileExpression(text, variables);
  } catch (error) {
    if (!isNotImplemented(error)) throw error;
    return { missing: error };
  }
};

const compileMessage = (text: string, variables: ReadonlyMap<string, CelType>): Partial<CompiledRule> => {
  const message = compileIfKnown(text, variables);
  if ('missing' in message) return message;
  if ('issues' in message) return { messageError: `messageExpression compilation failed: ${message.issues}` };
  if (typeText(message.type) !== 'string') return { messageError: 'messageExpression must evaluate to a string' };
  return { messageProgram: message.program };
};

const compileBody = (rule: ValidationRule, variables: ReadonlyMap<string, CelType>): Compiled => {
  const main = compileIfKnown(rule.rule, variables);
  if ('missing' in main) return { usesOldSelf: false, missing: main.missing };
  if ('issues' in main) return { error: `compilation failed: ${main.issues}`, usesOldSelf: false };
  if (main.type.kind !== 'bool') return { error: 'cel expression must evaluate to a bool', usesOldSelf: false };
  const { messageExpression = '' } = rule;
  return {
    program: main.program,
    usesOldSelf: main.variables.has('oldSelf'),
    ...(messageExpression !== '' && compileMessage(messageExpression, variables)),
  };
};

/**
 * Compiles a rule of a schema node.
 *
 * @param type - the CEL type of the node
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/cel/compilation.go
 */
export const compileRule = (rule: ValidationRule, schema: StructuralSchema, type: CelType): CompiledRule => {
  const { fieldPath = '', optionalOldSelf = false } = rule;
  if (rule.rule.trim() === '') return { rule, usesOldSelf: false, fieldPath: '' };
  const followed = fieldPath === '' ? { path: '' } : followPath(fieldPath, schema);
  const variables = new Map([
    ['self', type],
    ['oldSelf', optionalOldSelf ? optionalOf(type) : type],
  ]);
  return { rule, fieldPath: 'path' in followed ? followed.path : '', ...compileBody(rule, variables) };
};

/**
 * Returns the error text of a failed evaluation, as cel-go formats it.
 *
 * @throws {StatusError} 501 if the expression used something that this library does not implement
 */
export const compileProblem = (result: unknown): string => {
  const cause = isCelError(result) ? result.cause : undefined;
  if (cause instanceof StatusError) throw cause;
  const text = isCelError(result) || result instanceof Error ? result.message : String(result);
  return text
    .replace(/^field not found: (.*)$/s, 'no such key: $1')
    .replace(/^index (-?\d+) out of bounds .*$/s, 'index out of bounds: $1')
    .replace(/^\w+ divide by zero$/, 'division by zero')
    .replace(/^\w+ modulus by zero$/, 'modulus by zero')
    .replace(/^(?:u?int) (?:overflow|underflow).*$/, 'integer overflow')
    .replace(/^found no matching overload.*$/s, 'no such overload');
};
