import type { FieldError } from '#lib/apiserver/machinery/field-error.ts';
import { validateRules } from '#lib/cel/validate-rules.ts';
import type { Issue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { applyDefaults } from '#lib/kind/instance/defaults.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { kindSchemaOf } from '#lib/kind/schema/root-schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';

/** Evaluates rules. Rules with functions that this library does not implement are skipped; only the API server evaluates them. */
const errorsOf = (schema: JsonSchema, value: unknown, options: { at?: string; isRoot?: boolean }) => {
  const errors = validateRules(schema, value, { ...options, ignoresMissing: true });
  return errors === 'skipped' ? [] : errors;
};

/** The error type at the start of a message. An issue has a separate field for the value. */
const PREFIX = /^(?:Invalid value|Forbidden|Required value): /;

const issueOf = ({ field, message }: FieldError): Issue => ({
  path: field === '<nil>' ? '' : field,
  rule: 'cel',
  message: message.replace(PREFIX, ''),
});

/** Whether the resource has a name. cdk8s derives a missing name only at rendering. */
const isNamed = ({ metadata }: JsonObject): boolean => isPlainObject(metadata) && typeof metadata['name'] === 'string';

/**
 * Evaluates the rules of a kind on a new resource, as the API server does after it has validated the values.
 *
 * Caveats: transition rules (`oldSelf`) are not evaluated. For a resource without a name, only the rules of the spec are
 * evaluated.
 *
 * @param resource - a resource with valid values and without tokens; the function fills in the defaults of its spec
 * @returns one issue for each broken rule, with the message of the rule
 */
export const evaluateRules = (shape: KindShape, resource: JsonObject): Issue[] => {
  const schema = kindSchemaOf(shape);
  const spec = applyDefaults(shape.spec, resource['spec']);
  const errors = isNamed(resource)
    ? errorsOf(schema, { ...resource, spec }, {})
    : errorsOf(schema.properties?.['spec'] ?? {}, spec, { at: 'spec', isRoot: false });
  return errors.map(issueOf);
};
