import type { Issue } from '#lib/errors.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import { compilePattern } from '../json-schema/regular-expression.ts';
import { checkValue } from '../value/check.ts';
import type { RuleFinding, SchemaRule } from './rule.ts';

/** A pattern is valid in RE2 and in JavaScript. The API server uses RE2, and this library checks values with JavaScript. */
export const pattern: SchemaRule = {
  id: 'pattern',
  *check({ schema }): Iterable<RuleFinding> {
    if (schema.pattern === undefined || schema.pattern === '') return;
    const compiled = compilePattern(schema.pattern);
    if ('refusal' in compiled) yield { message: `pattern is refused: ${compiled.refusal}`, value: schema.pattern };
  },
};

/**
 * An enum is not empty, and each of its values fits the other keywords of the schema, except in an alternative. This rule is
 * stricter than the API server.
 */
export const enumValues: SchemaRule = {
  id: 'enum-values',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    if (schema.enum === undefined) return;
    if (schema.enum.length === 0) yield { message: 'enum must list at least one value', value: schema.enum };
    const { enum: _, ...rest } = schema;
    for (const value of restricting ? [] : schema.enum) {
      const [issue] = checkValue(rest, value);
      if (issue !== undefined) yield { message: `the value can never be set: it ${issue.message}`, value };
    }
  },
};

const RANGES = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

function* emptyRanges(schema: JsonSchema): Iterable<RuleFinding> {
  for (const [low, high] of RANGES) {
    const min = schema[low];
    const max = schema[high];
    if (min === undefined || max === undefined || min <= max) continue;
    yield { message: `no value fits: ${low} is greater than ${high}`, value: { [low]: min, [high]: max } };
  }
}

/** No lower bound exceeds its upper bound, and `multipleOf` is positive. This rule is stricter than the API server. */
export const boundsOrder: SchemaRule = {
  id: 'bounds-order',
  *check({ schema }): Iterable<RuleFinding> {
    yield* emptyRanges(schema);
    const { multipleOf } = schema;
    if (multipleOf !== undefined && multipleOf <= 0)
      yield { message: 'multipleOf must be positive', value: multipleOf };
  },
};

const sentence = ({ path, message }: Issue): string => `${path} ${message}`;

/** A default is valid without the defaults of nested fields, because the API server fills these in after the check. */
export const defaultFits: SchemaRule = {
  id: 'default-fits',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    const { default: value } = schema;
    if (restricting || value === undefined || value === null) return;
    for (const issue of checkValue(schema, value, { path: 'default' })) {
      if (issue.rule !== 'unknown-field') yield { message: `it does not fit: ${sentence(issue)}`, value };
    }
  },
};

/** A default has no unknown fields, because the API server would drop them from every object. */
export const defaultPruned: SchemaRule = {
  id: 'default-pruned',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    const { default: value } = schema;
    if (restricting || value === undefined) return;
    for (const issue of checkValue(schema, value, { path: 'default' })) {
      if (issue.rule === 'unknown-field') yield { message: `it would be cut: ${sentence(issue)}`, value };
    }
  },
};

/** A default is not null, because the API server ignores such a default. This rule is stricter than the API server. */
export const defaultNull: SchemaRule = {
  id: 'default-null',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    if (restricting || schema.default !== null) return;
    yield { message: 'a default of null has no effect', value: null, fix: 'make the field optional instead' };
  },
};
