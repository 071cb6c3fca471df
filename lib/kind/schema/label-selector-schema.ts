import type { SchemaOptions } from '../json-schema/schema-options.ts';
import type { ObjectSchema, Schema, WithDefault } from '../json-schema/schema-types.ts';
import { list, object, stringMap } from './collection-schemas.ts';
import { oneOf, optional, string } from './scalar-schemas.ts';
import { schemaOf } from './schema-json.ts';

/**
 * The maximum number of requirements. The number is larger than any selector needs, and keeps the estimated cost of validation
 * rules low.
 */
const MAX_REQUIREMENTS = 16;

const LABEL_VALUE = { maxLength: 63, pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$' } as const;

/**
 * A label key, with or without a domain as prefix. The pattern limits the name to 63 characters; `maxLength` adds 253 for the
 * prefix and 1 for the slash.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/util/validation/validation.go (IsQualifiedName)
 */
const LABEL_KEY = {
  minLength: 1,
  maxLength: 317,
  pattern:
    '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$',
} as const;

const requirement = object(
  {
    key: string({ ...LABEL_KEY, description: 'Key of the label.' }),
    operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], { description: 'How the label is compared.' }),
    values: optional(
      list(string(LABEL_VALUE), {
        maxItems: MAX_REQUIREMENTS,
        description: 'For In and NotIn: the values, at least one. For Exists and DoesNotExist: none.',
      }),
    ),
  },
  {
    validations: [
      {
        rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
        message: 'values are required for In and NotIn, and must be left out for Exists and DoesNotExist',
        fieldPath: '.values',
      },
    ],
  },
);

const fields = {
  matchLabels: optional(
    stringMap({
      maxProperties: MAX_REQUIREMENTS,
      values: LABEL_VALUE,
      description: 'Labels with their values; all of them have to be there.',
    }),
  ),
  matchExpressions: optional(
    list(requirement, { maxItems: MAX_REQUIREMENTS, description: 'Requirements; all of them have to hold.' }),
  ),
};

type Selector = ObjectSchema<typeof fields> extends Schema<infer Value> ? Value : never;

/**
 * A label selector with the structure of `metav1.LabelSelector`. One field manager writes and owns the whole selector. An empty
 * selector selects all objects.
 *
 * @param options - description, rules (such as a rule that makes the selector immutable), default
 * @example
 * s.optional(s.labelSelector({ description: 'Selects the pods', validations: [{ rule: 'self == oldSelf', message: 'is immutable' }] }))
 */
export const labelSelector = <const D extends Selector | undefined = undefined>(
  options: SchemaOptions & { readonly default?: D } = {},
): WithDefault<ObjectSchema<typeof fields>, D> =>
  schemaOf({ type: 'object', 'x-kubernetes-map-type': 'atomic', properties: fields }, options);
