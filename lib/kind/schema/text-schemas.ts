import type { IntOrPercentOptions, SchemaOptions } from '../json-schema/schema-options.ts';
import type { Schema, WithDefault } from '../json-schema/schema-types.ts';
import { schemaOf } from './schema-json.ts';

/**
 * The keywords for an integer or a string, in the form of controller-gen. The API server allows no other types in alternatives.
 */
const INT_OR_STRING = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } as const;

const PERCENTS: Readonly<Record<100 | 999, string>> = {
  100: '^(100|[0-9]{1,2})%$',
  999: '^[0-9]{1,3}%$',
};

/**
 * The maximum length of a percentage. Without this limit, the API server would estimate the cost of rules for a field as large
 * as a whole request.
 */
const PERCENT_LENGTH = 4;

/**
 * A whole number, or a percentage of another number, such as `25%`.
 *
 * In CEL rules, the value is either an int or a string: `type(self) == int ? self > 0 : self != '0%'`, or `string(self) in
 * ['0', '0%']`.
 *
 * @param options - inclusive bounds of the whole number (default: 0 and 2147483647); the largest percentage; default
 * @example
 * s.intOrString({ description: 'Pods beyond the wanted number during an update', maximumPercent: 999, default: '25%' })
 */
export const intOrString = <const D extends number | string | undefined = undefined>(
  options: IntOrPercentOptions & { readonly default?: D } = {},
): WithDefault<Schema<number | string>, D> => {
  const { maximumPercent = 100, ...rest } = options;
  const bounds = { minimum: 0, maximum: 2 ** 31 - 1 };
  return schemaOf({ ...INT_OR_STRING, ...bounds, maxLength: PERCENT_LENGTH, pattern: PERCENTS[maximumPercent] }, rest);
};

/**
 * A decimal number without a sign, with an optional suffix or exponent.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/api/resource/quantity.go (type Quantity)
 */
const QUANTITY = '^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]{1,3})?$';

const QUANTITY_LENGTH = 32;

/**
 * A non-negative resource quantity, such as `500m`, `1.5` or `64Mi`. A user can write a whole number without quotes.
 *
 * @param options - description, rules, default
 * @example
 * s.quantity({ description: 'Memory of every pod', default: '64Mi' })
 */
export const quantity = <const D extends number | string | undefined = undefined>(
  options: SchemaOptions & { readonly default?: D } = {},
): WithDefault<Schema<number | string>, D> =>
  schemaOf(
    { ...INT_OR_STRING, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, maxLength: QUANTITY_LENGTH, pattern: QUANTITY },
    options,
  );

const PART = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/**
 * The name of an object in the namespace of the resource, such as a Secret. A valid name is safe as part of a URL path or file
 * path.
 *
 * A reference cannot name an object of another namespace. Otherwise, a user that may write the resource could use the rights of
 * the operator in the other namespace.
 *
 * @param options - description, rules, default
 * @example
 * s.optional(s.secretName({ description: 'Secret with the token, under the key `token`' }))
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names
 */
export const objectName = <const D extends string | undefined = undefined>(
  options: SchemaOptions & { readonly default?: D } = {},
): WithDefault<Schema<string>, D> =>
  schemaOf({ type: 'string', minLength: 1, maxLength: 253, pattern: `^${PART}(\\.${PART})*$` }, options);
