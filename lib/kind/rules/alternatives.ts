import { memberOf } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import type { RuleFinding, SchemaRule } from './rule.ts';

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0);

/** Keywords that declare values instead of restricting them. Such keywords are not allowed within allOf, anyOf, oneOf and not. */
const DECLARING = [
  'type',
  'default',
  'title',
  'description',
  'nullable',
  'additionalProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
];

/**
 * Alternatives (allOf, anyOf, oneOf, not) only restrict values. The types of these values are declared outside of the
 * alternatives. An alternative does not mention `metadata`.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/schema/validation.go
 *   (validateNestedValueValidation)
 */
export const restrictingAlternative: SchemaRule = {
  id: 'restricting-alternative',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    if (!restricting) return;
    for (const keyword of DECLARING) {
      const value = (schema as Readonly<Record<string, unknown>>)[keyword];
      if (!isSet(value)) continue;
      const fix = `move ${keyword} out of allOf, anyOf, oneOf and not`;
      yield { message: `${keyword} must not be used in an alternative`, value, fix };
    }
    if (memberOf(schema.properties, 'metadata') !== undefined) {
      yield { at: 'metadata', message: 'metadata must not be mentioned in an alternative' };
    }
  },
};

const undeclared = (schema: JsonSchema, declared: JsonSchema): string[] => [
  ...Object.keys(schema.properties ?? {}).filter((name) => memberOf(declared.properties, name) === undefined),
  ...(schema.items !== undefined && declared.items === undefined ? ['items'] : []),
];

/**
 * The fields of an alternative (allOf, anyOf, oneOf, not) are declared outside of the alternative. The API server drops
 * undeclared fields before it checks the alternatives. This rule is stricter than the API server, which checks only the
 * alternatives at the root.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/schema/complete.go
 */
export const declaredAlternative: SchemaRule = {
  id: 'declared-alternative',
  *check({ schema, restricting, declared }): Iterable<RuleFinding> {
    if (!restricting || declared === undefined) return;
    for (const name of undeclared(schema, declared)) {
      yield {
        message: `${name} is restricted by an alternative but not declared outside of it`,
        fix: `declare ${name}`,
      };
    }
  },
};
