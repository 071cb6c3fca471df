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

/** The start of the server's message, which is removed because an issue shows the value separately. */
const PREFIX = /^(?:Invalid value|Forbidden|Required value): /;

const issueOf = ({ field, message }: FieldError): Issue => ({
  path: field === '<nil>' ? '' : field,
  rule: 'cel',
  message: message.replace(PREFIX, ''),
});

/** Whether the resource has a name already. Otherwise, cdk8s derives the name from the path of the construct when it renders. */
const isNamed = ({ metadata }: JsonObject): boolean => isPlainObject(metadata) && typeof metadata['name'] === 'string';

/**
 * Evaluates the rules of a kind on a new resource, as the API server does after it has validated the values.
 *
 * Caveats: rules that compare the resource with its older state are not evaluated. While the resource has no name, rules over the
 * whole resource are not evaluated either.
 *
 * @param resource - a resource whose values are valid and without tokens; defaults are filled in before the evaluation
 * @returns one issue for every rule that does not hold, with the message of the rule
 */
export const evaluateRules = (shape: KindShape, resource: JsonObject): Issue[] => {
  const schema = kindSchemaOf(shape);
  const spec = applyDefaults(shape.spec, resource['spec']);
  const errors = isNamed(resource)
    ? errorsOf(schema, { ...resource, spec }, {})
    : errorsOf(schema.properties?.['spec'] ?? {}, spec, { at: 'spec', isRoot: false });
  return errors.map(issueOf);
};
