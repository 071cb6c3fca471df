import type { RuleFinding } from '../rules/rule.ts';
import type { SchemaLint } from './lint.ts';

/**
 * No value is a floating-point number. Languages read and write such numbers differently, so an unchanged object may seem to
 * change.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#primitive-types
 */
export const noFloat: SchemaLint = {
  id: 'no-float',
  severity: 'lint',
  *check({ schema }): Iterable<RuleFinding> {
    if (schema.type !== 'number') return;
    yield {
      message: 'is a floating-point number',
      fix: 'use s.int32 in a smaller unit, s.quantity, or a decimal text',
    };
  },
};

/** The values of an enum are words, because the meaning of a number is not readable. */
export const numberEnum: SchemaLint = {
  id: 'number-enum',
  severity: 'lint',
  *check({ schema }): Iterable<RuleFinding> {
    const value = schema.enum?.find((each) => typeof each === 'number');
    if (value !== undefined)
      yield { message: 'lists numbers as its values', value, fix: 'use s.enum with words in CamelCase' };
  },
};

/**
 * The words of an enum are in CamelCase, as in the APIs of Kubernetes: `ClusterIP`, `Always`. The empty string is allowed, too.
 */
export const enumCase: SchemaLint = {
  id: 'enum-case',
  severity: 'lint',
  *check({ schema }): Iterable<RuleFinding> {
    const odd =
      schema.enum?.filter((value) => typeof value === 'string' && !/^(?:[A-Z][A-Za-z0-9]*)?$/.test(value)) ?? [];
    if (odd.length > 0)
      yield { message: 'has values that are not in CamelCase', value: odd, fix: 'write them as in RollingUpdate' };
  },
};

/**
 * No field is nullable. An author omits a field to leave it without a value, and most clients cannot send null.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#nullable
 */
export const noNullable: SchemaLint = {
  id: 'no-nullable',
  severity: 'lint',
  *check({ schema }): Iterable<RuleFinding> {
    if (schema.nullable === true) yield { message: 'may be null', value: true, fix: 'use s.optional instead' };
  },
};

/**
 * A field for an integer or a string has a pattern, an enum or a rule for its strings. Otherwise, every string would be valid.
 */
export const intOrStringPattern: SchemaLint = {
  id: 'int-or-string-pattern',
  severity: 'lint',
  *check({ schema }): Iterable<RuleFinding> {
    const isFree = schema.pattern === undefined && schema.enum === undefined && !schema['x-kubernetes-validations'];
    if (schema['x-kubernetes-int-or-string'] !== true || !isFree) return;
    yield {
      message: 'accepts any text in addition to numbers',
      fix: 'use s.intOrString or s.quantity, or set pattern',
    };
  },
};

/**
 * Formats that an API server checks.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/validation/formats.go
 */
const FORMATS = new Set(
  (
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor ' +
    'rgbcolor byte password date duration datetime date-time int32 int64 float double'
  ).split(' '),
);

/** A format is one that the API server checks. The server ignores an unknown format, so every string would be valid. */
export const unknownFormat: SchemaLint = {
  id: 'unknown-format',
  severity: 'lint',
  *check({ schema: { format } }): Iterable<RuleFinding> {
    if (format === undefined || FORMATS.has(format)) return;
    const newer = format === 'k8s-short-name' || format === 'k8s-long-name';
    const message = newer ? 'the format is ignored by API servers before 1.34' : 'the format is ignored by API servers';
    yield { message, value: format, fix: 'use pattern, or a rule with s.…({ validations })' };
  },
};
