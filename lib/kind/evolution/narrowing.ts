import { equalJson } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import { type Change, type Comparison, type Pair, shown } from './change.ts';

const KEEP = 'keep the old limit, or serve another version';

type Limit =
  | 'minimum'
  | 'minLength'
  | 'minItems'
  | 'minProperties'
  | 'maximum'
  | 'maxLength'
  | 'maxItems'
  | 'maxProperties';

const LOWER: readonly Limit[] = ['minimum', 'minLength', 'minItems', 'minProperties'];
const UPPER: readonly Limit[] = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];

/** The limit in a schema, or `none` if the keyword is absent. A negative lower limit of a count or a length equals 0. */
const limitOf = (schema: JsonSchema, keyword: Limit, none: number): number => {
  const value = schema[keyword] ?? none;
  return keyword !== 'minimum' && none < 0 ? Math.max(0, value) : value;
};

const tightened = ({ path, before, after }: Pair, keyword: Limit, none: number): Change[] => {
  const [was, is] = [limitOf(before, keyword, none), limitOf(after, keyword, none)];
  if (none < 0 ? is <= was : is >= was) return [];
  const old = before[keyword] === undefined ? 'there was none' : `it was ${before[keyword]}`;
  const message = `${keyword} is ${after[keyword]}, ${old}: values that were accepted are refused`;
  return [{ rule: 'bound-tightened', path, message, fix: KEEP }];
};

/** Finds narrower limits of numbers, lengths and counts, and a new or different `multipleOf`. */
export const bounds: Comparison = function* (pair) {
  for (const keyword of LOWER) yield* tightened(pair, keyword, -Infinity);
  for (const keyword of UPPER) yield* tightened(pair, keyword, Infinity);
  const { path, before, after } = pair;
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum'] as const) {
    if (after[keyword] && !before[keyword])
      yield { rule: 'bound-tightened', path, message: `${keyword} is new: the limit itself is refused`, fix: KEEP };
  }
  if (after.multipleOf !== undefined && after.multipleOf !== before.multipleOf) {
    const message = `multipleOf is ${after.multipleOf}, it was ${before.multipleOf ?? 'absent'}: values that were accepted are refused`;
    yield { rule: 'bound-tightened', path, message, fix: KEEP };
  }
};

/** Finds values that an enum no longer has, a new enum, and null that is no longer allowed. */
export const values: Comparison = function* ({ path, before, after }) {
  if (after.enum !== undefined) {
    const gone = before.enum?.filter((value) => !after.enum?.some((other) => equalJson(value, other)));
    if (gone === undefined || gone.length > 0) {
      const what =
        gone === undefined
          ? 'values are listed now, they were free'
          : `no longer allowed: ${gone.map(shown).join(', ')}`;
      yield { rule: 'enum-narrowed', path, message: what, fix: 'keep the values, and let the function treat them' };
    }
  }
  if (before.nullable && !after.nullable)
    yield { rule: 'null-refused', path, message: 'null was allowed and is refused', fix: 'keep nullable' };
};

/**
 * Finds a new or different `pattern` or `format`. Every other pattern counts as a change, because the languages of two regular
 * expressions are not compared.
 */
export const texts: Comparison = function* ({ path, before, after }) {
  for (const keyword of ['pattern', 'format'] as const) {
    if (after[keyword] === undefined || after[keyword] === before[keyword]) continue;
    const message = `${keyword} is ${shown(after[keyword])}, it was ${shown(before[keyword] ?? 'absent')}: texts that were accepted may be refused`;
    yield { rule: `${keyword}-changed`, path, message, fix: KEEP };
  }
};

/** Finds CEL rules with a new expression. */
export const rules: Comparison = function* ({ path, before, after }) {
  const known = new Set(before['x-kubernetes-validations']?.map(({ rule }) => rule));
  for (const { rule } of after['x-kubernetes-validations'] ?? []) {
    if (known.has(rule)) continue;
    const message = `the rule ${shown(rule)} is new: objects that were accepted may be refused`;
    yield {
      rule: 'rule-added',
      path,
      message,
      fix: 'report a condition from the function instead, or serve another version',
    };
  }
};
