import { memberOf } from '#lib/json.ts';
import type { RuleFinding } from '../rules/rule.ts';
import type { SchemaLint } from './lint.ts';

/** Formats of strings with a limited length. */
const FIXED_FORMATS = new Set(['date', 'date-time']);

/**
 * Every string has a maximum length. Without a maximum, the API server estimates the cost of a rule for a string of 3 MiB, a
 * whole request. A single object could also fill the storage. Strings of an enum, dates and times already have a limit.
 *
 * @see
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions
 */
export const boundLength: SchemaLint = {
  id: 'bound-length',
  severity: 'error',
  *check({ schema }): Iterable<RuleFinding> {
    const isText = schema.type === 'string' || schema['x-kubernetes-int-or-string'] === true;
    if (!isText || schema.maxLength !== undefined || schema.enum !== undefined) return;
    if (FIXED_FORMATS.has(schema.format ?? '')) return;
    yield {
      message: 'a text needs a longest length',
      fix: 'set maxLength: 63 for a label, 253 for a name, 1024 for a line',
    };
  },
};

/**
 * Every list has a maximum number of items. The cost of every rule over the items is multiplied by this number.
 *
 * @see https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md (MaxLength)
 */
export const boundItems: SchemaLint = {
  id: 'bound-items',
  severity: 'error',
  *check({ schema }): Iterable<RuleFinding> {
    if (schema.type !== 'array' || schema.maxItems !== undefined) return;
    yield {
      message: 'a list needs a maximum number of items',
      fix: 'set maxItems to the largest number that is useful',
    };
  },
};

/** Every map has a maximum number of entries. */
export const boundProperties: SchemaLint = {
  id: 'bound-properties',
  severity: 'error',
  *check({ schema }): Iterable<RuleFinding> {
    if (typeof schema.additionalProperties !== 'object' || schema.maxProperties !== undefined) return;
    yield {
      message: 'a map needs a maximum number of entries',
      fix: 'set maxProperties to the largest number that is useful',
    };
  },
};

const NUMBERS = new Set(['integer', 'number']);

/** Every number without an enum has a minimum and a maximum, so that programs can rely on its range. */
export const boundNumber: SchemaLint = {
  id: 'bound-number',
  severity: 'error',
  *check({ schema, name }): Iterable<RuleFinding> {
    // The API server counts generations without a limit.
    if (name === 'observedGeneration') return;
    const isNumber = NUMBERS.has(schema.type ?? '') || schema['x-kubernetes-int-or-string'] === true;
    if (!isNumber || schema.enum !== undefined) return;
    const missing = (['minimum', 'maximum'] as const).filter((bound) => schema[bound] === undefined);
    if (missing.length === 0) return;
    yield { message: `a number needs ${missing.join(' and ')}`, fix: 'set the bounds, or use s.int32, which has them' };
  },
};

/** The bounds of a whole number are safe integers of JavaScript, from −(2^53 − 1) to 2^53 − 1. */
export const safeInteger: SchemaLint = {
  id: 'safe-integer',
  severity: 'error',
  *check({ schema }): Iterable<RuleFinding> {
    if (schema.type !== 'integer') return;
    for (const bound of ['minimum', 'maximum'] as const) {
      const value = schema[bound];
      if (value === undefined || Number.isSafeInteger(value)) continue;
      yield {
        message: `${bound} is beyond ±9007199254740991`,
        value,
        fix: 'use s.int64, or a text for larger numbers',
      };
    }
  },
};

/**
 * Every list declares how the items of several field managers are merged. Without this declaration, one field manager owns the
 * whole list. If a later version changes the merge strategy, field managers lose their fields.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#custom-resources-and-server-side-apply
 */
export const listTypeMissing: SchemaLint = {
  id: 'list-type-missing',
  severity: 'error',
  *check({ schema }): Iterable<RuleFinding> {
    if (schema.type !== 'array' || schema['x-kubernetes-list-type'] !== undefined) return;
    yield {
      message: 'a list needs x-kubernetes-list-type',
      fix: 'use s.list (written as a whole), s.set (scalars) or s.mapList (objects with keys)',
    };
  },
};

/** A field with a default is optional, so it must not be required at the same time. */
export const defaultOptional: SchemaLint = {
  id: 'default-optional',
  severity: 'error',
  *check({ schema }): Iterable<RuleFinding> {
    for (const name of schema.required ?? []) {
      if (memberOf(schema.properties, name)?.default === undefined) continue;
      yield {
        message: `${name} is required and has a default`,
        value: name,
        fix: 'take it out of required, or drop the default',
      };
    }
  },
};
