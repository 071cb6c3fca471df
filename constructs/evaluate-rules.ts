import type { FieldError } from '#lib/apiserver/machinery/field-error.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { validateRules } from '#lib/cel/validate-rules.ts';
import type { Issue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { applyDefaults } from '#lib/kind/instance/defaults.ts';
import { type JsonSchema, readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { rootSchema } from '#lib/kind/schema/root-schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';

const schemas = new WeakMap<KindShape, JsonSchema>();

/** Read once per kind, so that rules are compiled once. */
const schemaOf = (shape: KindShape): JsonSchema => {
  const known = schemas.get(shape) ?? readSchema(rootSchema(shape));
  schemas.set(shape, known);
  return known;
};

const NOT_IMPLEMENTED = 501;

/** Rules with functions that are not implemented here are left to the API server. */
const errorsOf = (schema: JsonSchema, value: unknown, options: { at?: string; isRoot?: boolean }): FieldError[] => {
  try {
    const errors = validateRules(schema, value, options);
    return errors === 'skipped' ? [] : [...errors];
  } catch (error) {
    if (error instanceof StatusError && error.status.code === NOT_IMPLEMENTED) return [];
    throw error;
  }
};

/** The text that the server puts before its reason; the value of an issue is shown separately. */
const PREFIX = /^(?:Invalid value|Forbidden|Required value): /;

const issueOf = ({ field, message }: FieldError): Issue => ({
  path: field === '<nil>' ? '' : field,
  rule: 'cel',
  message: message.replace(PREFIX, ''),
});

/** The name is known: cdk8s makes one of the construct's path otherwise, when the object is rendered. */
const isNamed = ({ metadata }: JsonObject): boolean => isPlainObject(metadata) && typeof metadata['name'] === 'string';

/**
 * Evaluates the rules of a kind on a new resource, as the API server does after it has validated the values.
 *
 * Caveats: rules that compare with an older object are not evaluated; neither are rules over the whole resource while it has no
 * name.
 *
 * @param shape - the kind
 * @param resource - a resource whose values are valid and without tokens; absent defaults count as filled in
 * @returns one issue for every rule that does not hold, with the message of the rule
 */
export const evaluateRules = (shape: KindShape, resource: JsonObject): Issue[] => {
  const schema = schemaOf(shape);
  const spec = applyDefaults(shape.spec, resource['spec']);
  const errors = isNamed(resource)
    ? errorsOf(schema, { ...resource, spec }, {})
    : errorsOf(schema.properties?.['spec'] ?? {}, spec, { at: 'spec', isRoot: false });
  return errors.map(issueOf);
};
