import type { FieldError } from '#lib/apiserver/machinery/field-error.ts';
import { unlessNotImplemented } from '#lib/apiserver/machinery/status.ts';
import { validateRules } from '#lib/cel/validate-rules.ts';
import type { Issue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { applyDefaults } from '#lib/kind/instance/defaults.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { kindSchemaOf } from '#lib/kind/schema/root-schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';

/** Rules with functions that are not implemented here are left to the API server. */
const errorsOf = (schema: JsonSchema, value: unknown, options: { at?: string; isRoot?: boolean }) =>
  unlessNotImplemented<readonly FieldError[]>([], () => {
    const errors = validateRules(schema, value, options);
    return errors === 'skipped' ? [] : errors;
  });

/** The text before the reason in an error of the API server. It is removed, because an issue shows the value separately. */
const PREFIX = /^(?:Invalid value|Forbidden|Required value): /;

const issueOf = ({ field, message }: FieldError): Issue => ({
  path: field === '<nil>' ? '' : field,
  rule: 'cel',
  message: message.replace(PREFIX, ''),
});

/**
 * Whether a resource has a name. Without a name, cdk8s derives one from the path of the construct when the object is
 * rendered.
 */
const isNamed = ({ metadata }: JsonObject): boolean => isPlainObject(metadata) && typeof metadata['name'] === 'string';

/**
 * Evaluates the rules of a kind on a new resource, as the API server does after it has validated the values.
 *
 * Caveats: rules that compare with an older object are not evaluated. Rules over the whole resource are evaluated only when it
 * has a name.
 *
 * @param resource - a resource with valid values and without tokens; missing values get their defaults
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
