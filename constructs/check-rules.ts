import type { CompiledRule } from '#lib/cel/compile.ts';
import { leastCost } from '#lib/cel/cost.ts';
import { declTypeOf } from '#lib/cel/decl-type.ts';
import { compiledRules } from '#lib/cel/rule-tree.ts';
import { validateRules } from '#lib/cel/validate-rules.ts';
import type { Issue } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { type Visit, walkSchema } from '#lib/kind/json-schema/walk.ts';
import { inVersion } from '#lib/kind/versions/chain.ts';

/** The first line of a compile error, without its prefix. The other lines only mark the position with an arrow. */
const firstLine = (text: string): string =>
  (text.split('\n')[0] ?? '').replace(/^compilation failed: ERROR: <input>:/, 'at ');

/** The compiled rules of one schema node. */
const rulesOf = ({ schema, role }: Visit): readonly CompiledRule[] =>
  compiledRules(schema, role === 'root')?.rules ?? [];

const ofExpressions = (visit: Visit): Issue[] => {
  const { schema, path, role } = visit;
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  if (declTypeOf(schema, role === 'root') === undefined) {
    const fix = 'declare its fields, or put the rule where they are declared';
    return [{ path, rule: 'cel-unseen', message: 'rules cannot see this value: its type is not declared', fix }];
  }
  return rulesOf(visit).flatMap(({ rule, error, messageError }) => [
    ...(error === undefined
      ? []
      : [
          {
            path,
            rule: 'cel-compile',
            message: `a rule does not compile: ${firstLine(error)}`,
            value: rule.rule,
            fix: 'correct the rule',
          },
        ]),
    ...(messageError === undefined
      ? []
      : [
          {
            path,
            rule: 'cel-compile',
            message: firstLine(messageError),
            value: rule.messageExpression,
            fix: 'correct messageExpression',
          },
        ]),
  ]);
};

/**
 * Evaluates the rules of a schema and of its nested schemas on the default of the schema. As in the API server, the defaults of
 * nested fields are not filled in.
 */
const ofDefault = ({ schema, path }: Visit): Issue[] => {
  if (schema.default === undefined || schema.default === null) return [];
  const errors = validateRules(schema, schema.default, { isRoot: false, ignoresMissing: true });
  return errors === 'skipped'
    ? []
    : errors.map(({ message }) => ({
        path,
        rule: 'default-rule',
        message: `the default breaks a rule of its own: ${message.replace(/^Invalid value: /, '')}`,
        value: schema.default,
        fix:
          path === 'status'
            ? 'let the rule hold for a status with none of your fields, as in !has(self.x) || self.x > 0: every resource begins with one'
            : 'choose a default that keeps the rule',
      }));
};

/**
 * Limits of the API server for the estimated cost of one rule, and of all rules of a version.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apis/apiextensions/validation/validation.go (`StaticEstimatedCostLimit`)
 */
const RULE_LIMIT = 10_000_000;
const SCHEMA_LIMIT = 100_000_000;

const LESS =
  'lower the maxItems, maxProperties and maxLength that it runs over, of the lists around it as well, or simplify it';

interface Cost {
  readonly path: string;
  readonly rule: string;
  readonly cost: number;
}

/**
 * The maximum number of values in one resource for each path: the product of the limits of the enclosing lists and maps. A list
 * or map without a limit counts as 1, so the result is a lower bound.
 */
const countsOf = (visits: readonly Visit[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { path, schema, role } of visits) {
    const isInner = role === 'item' || role === 'value';
    const parent = isInner ? path.replace(/\[\*?\]$/, '') : path.slice(0, Math.max(0, path.lastIndexOf('.')));
    const around = counts.get(path) ?? counts.get(parent) ?? 1;
    const own = schema.type === 'array' ? schema.maxItems : schema.maxProperties;
    const holds = schema.type === 'array' || typeof schema.additionalProperties === 'object';
    counts.set(path, around);
    if (holds) counts.set(`${path}${schema.type === 'array' ? '[]' : '[*]'}`, around * (own ?? 1));
  }
  return counts;
};

const costsOf = (visits: readonly Visit[]): Cost[] => {
  const counts = countsOf(visits);
  return visits.flatMap((visit) => {
    const { path, schema } = visit;
    const known = rulesOf(visit).filter(({ missing }) => missing === undefined);
    return known.map(({ rule: { rule } }) => ({
      path,
      rule,
      cost: leastCost(rule, schema) * (counts.get(path) ?? 1),
    }));
  });
};

const costIssues = (visits: readonly Visit[]): Issue[] => {
  const costs = costsOf(visits);
  const tooExpensive = costs.filter(({ cost }) => cost > RULE_LIMIT);
  const total = costs.reduce((all, { cost }) => all + cost, 0);
  const [mostExpensive] = costs.toSorted((a, b) => b.cost - a.cost);
  return [
    ...tooExpensive.map(({ path, rule, cost }) => ({
      path,
      rule: 'cel-cost',
      message: `a rule is estimated to cost ${cost} or more, and ${RULE_LIMIT} is allowed`,
      value: rule,
      fix: LESS,
    })),
    ...(total > SCHEMA_LIMIT && mostExpensive !== undefined
      ? [
          {
            path: mostExpensive.path,
            rule: 'cel-cost',
            message: `all rules together are estimated to cost ${total} or more, and ${SCHEMA_LIMIT} is allowed; this one costs most`,
            value: mostExpensive.rule,
            fix: LESS,
          },
        ]
      : []),
  ];
};

const rulesIssues = (schema: JsonSchema): Issue[] => {
  const visits = [...walkSchema({ ...schema })].filter(({ restricting }) => !restricting);
  const broken = visits.flatMap(ofExpressions);
  // The cost of a rule that does not compile cannot be estimated.
  if (broken.length > 0) return broken;
  return [...visits.flatMap(ofDefault), ...costIssues(visits)];
};

/**
 * Checks the CEL rules of a CRD as the API server does. The function compiles the rules, evaluates them on defaults, and
 * estimates their cost. If a rule of a version does not compile, the defaults and costs of this version are not checked.
 *
 * Caveats: the estimate is a lower bound, so the API server can refuse a rule that passes this check. Rules with CEL features
 * that this library does not implement are not checked, and may prevent the check of other rules.
 *
 * @returns one issue for each problem; empty when the check finds none
 */
export const checkRules = (crd: CustomResourceDefinition): Issue[] =>
  crd.spec.versions.flatMap(({ name, schema }) => {
    const issues = rulesIssues(schema.openAPIV3Schema);
    return crd.spec.versions.length === 1 ? issues : issues.map((issue) => inVersion(name, issue));
  });
