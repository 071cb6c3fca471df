import type { Expr, Expr_Call, Expr_Comprehension } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { escapeName } from './decl-type.ts';
import { parseCel } from './parse.ts';
import { valuesSchemaOf } from './subschema.ts';

/** The schema and the maximum size of the value of an expression, where they are known. */
interface Value {
  readonly schema?: StructuralSchema | undefined;
  /** Maximum number of items, entries or characters; undefined if the schema sets no limit. */
  readonly size?: number | undefined;
}

interface Estimate extends Value {
  readonly cost: number;
}

type Scope = ReadonlyMap<string, Value>;

/** Costs of cel-go: `TRAVERSAL` for each character of a text that is read, and `PATTERN` for each character of a pattern. */
const TRAVERSAL = 0.1;
const PATTERN = 0.25;
const LIST_BASE = 10;
const MAP_BASE = 30;

/**
 * Before 1.34, the API server ignores `maxLength` of an int-or-string field. The API server assumes that the string can be as
 * long as a whole request.
 *
 * @see https://github.com/kubernetes/apiserver/blob/release-1.33/pkg/cel/common/schemas.go (`SchemaDeclType`)
 */
const INT_OR_STRING_SIZE = 3 * 1024 * 1024 - 2;

const sizeOf = (schema: StructuralSchema | undefined): number | undefined => {
  if (schema?.['x-kubernetes-int-or-string'] === true) return INT_OR_STRING_SIZE;
  if (schema?.type === 'array') return schema.maxItems;
  if (schema?.type === 'object') return valuesSchemaOf(schema) === undefined ? undefined : schema.maxProperties;
  return schema?.type === 'string' ? schema.maxLength : undefined;
};

const valueOf = (schema: StructuralSchema | undefined): Value => ({ schema, size: sizeOf(schema) });

const fieldOf = (schema: StructuralSchema | undefined, field: string): StructuralSchema | undefined => {
  const found = Object.entries(schema?.properties ?? {}).find(([name]) => escapeName(name) === field);
  return found?.[1] ?? valuesSchemaOf(schema);
};

const sum = (estimates: readonly Estimate[]): number => estimates.reduce((total, { cost }) => total + cost, 0);

const partsOfCall = ({ target, args }: Expr_Call, scope: Scope): Estimate[] =>
  [...(target ? [target] : []), ...args].map((arg) => estimate(arg, scope));

const read = ({ size = 0 }: Value, factor: number): number => Math.ceil(size * factor);

/** The cost of `matches` and `contains`. All other functions count as free. */
const ownCost = (name: string, [first = {}, second = {}]: readonly Value[]): number => {
  if (name === 'matches') return read(first, TRAVERSAL) * Math.max(1, read(second, PATTERN));
  if (name === 'contains') return read(first, TRAVERSAL) * Math.max(1, read(second, TRAVERSAL));
  return 0;
};

const ofCall = (call: Expr_Call, scope: Scope): Estimate => {
  const parts = partsOfCall(call, scope);
  const [first, second, third] = parts;
  if (call.function === '_?_:_') {
    const dearer = (second?.cost ?? 0) > (third?.cost ?? 0) ? second : third;
    return { ...dearer, cost: (first?.cost ?? 0) + (dearer?.cost ?? 0) };
  }
  const cost = sum(parts) + ownCost(call.function, parts);
  if (call.function !== '_[_]') return { cost };
  return { cost, ...valueOf(first?.schema?.items ?? valuesSchemaOf(first?.schema)) };
};

const itemOf = (schema: StructuralSchema | undefined): Value => (schema?.type === 'array' ? valueOf(schema.items) : {});

/** The cost of a loop. A bounded list or map counts with its maximum number of items, an unbounded one as empty. */
const ofLoop = (loop: Expr_Comprehension, scope: Scope): Estimate => {
  const range = estimate(loop.iterRange, scope);
  const init = estimate(loop.accuInit, scope);
  const outer = new Map([...scope, [loop.accuVar, {}]]);
  const inner = new Map([...outer, [loop.iterVar, itemOf(range.schema)]]);
  const round = estimate(loop.loopCondition, inner).cost + estimate(loop.loopStep, inner).cost;
  const cost = range.cost + init.cost + (range.size ?? 0) * round + estimate(loop.result, outer).cost;
  const isList = loop.accuInit?.exprKind.case === 'listExpr';
  return { cost, ...(isList && { size: range.size }) };
};

const ofParts = (base: number, parts: readonly (Expr | undefined)[], scope: Scope): Estimate => ({
  cost: base + sum(parts.map((part) => estimate(part, scope))),
  size: parts.length,
});

const estimate = (expr: Expr | undefined, scope: Scope): Estimate => {
  const kind = expr?.exprKind;
  switch (kind?.case) {
    case 'identExpr':
      return { cost: 1, ...scope.get(kind.value.name) };
    case 'selectExpr': {
      const operand = estimate(kind.value.operand, scope);
      if (kind.value.testOnly) return { cost: operand.cost };
      return {
        cost: operand.cost + (operand.schema === undefined ? 0 : 1),
        ...valueOf(fieldOf(operand.schema, kind.value.field)),
      };
    }
    case 'callExpr':
      return ofCall(kind.value, scope);
    case 'listExpr':
      return ofParts(LIST_BASE, kind.value.elements, scope);
    case 'structExpr':
      return ofParts(
        MAP_BASE,
        kind.value.entries.map(({ value }) => value),
        scope,
      );
    case 'comprehensionExpr':
      return ofLoop(kind.value, scope);
    case 'constExpr': {
      const { case: type, value } = kind.value.constantKind;
      return { cost: 0, ...(type === 'stringValue' && { size: value.length }) };
    }
    case undefined:
      return { cost: 0 };
  }
};

/**
 * Returns a lower bound for the maximum cost of a rule, as the API servers of 1.30 to 1.33 estimate it. These versions have the
 * highest estimates. The function counts loops over bounded lists and maps, and text searches; many other operations count as
 * free. If a rule is too expensive here, it is also too expensive on these servers, but not vice versa.
 *
 * @param rule - an expression without compile errors
 * @param schema - the schema that contains the rule
 * @see github.com/google/cel-go v0.26.0 checker/cost.go
 */
export const leastCost = (rule: string, schema: StructuralSchema): number => {
  const self = valueOf(schema);
  return estimate(
    parseCel(rule).expr,
    new Map([
      ['self', self],
      ['oldSelf', self],
    ]),
  ).cost;
};
