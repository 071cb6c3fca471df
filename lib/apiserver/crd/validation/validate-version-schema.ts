import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  memberPath,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { shownSchema } from './go-struct.ts';
import { validateDefaultValues } from './validate-default-values.ts';
import { validateOpenApi } from './validate-open-api.ts';
import { validateStructural } from './validate-structural.ts';

/** Keywords that are allowed at the root of a schema with a status subresource, in the order of the server's message. */
const ALLOWED_AT_ROOT =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

const allowed: ReadonlySet<string> = new Set(
  ALLOWED_AT_ROOT.split(' ').map((name) => {
    if (name.startsWith('X')) {
      return name === 'XValidations' ? 'x-kubernetes-validations' : 'x-kubernetes-preserve-unknown-fields';
    }
    return name.charAt(0).toLowerCase() + name.slice(1);
  }),
);

const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

/**
 * Checks the root of a schema with a status subresource. Because few keywords are allowed, the schema of the status is always at
 * `properties.status`.
 */
const validateRoot = (schema: StructuralSchema, path: FieldPath): FieldError[] => {
  const at = memberPath(path, 'openAPIV3Schema');
  const { type = '' } = schema;
  if (type !== 'object' && type !== '') {
    const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalidValue(memberPath(at, 'type'), type, why)];
  }
  const other = Object.entries(schema).find(([name, value]) => !isZero(value) && !allowed.has(name));
  if (other === undefined) return [];
  const why = `only [${ALLOWED_AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalidValue(at, shownSchema(schema), why)];
};

/**
 * Validates the schema of a version.
 *
 * @throws {StatusError} 501 for formats, rules, and defaults in the metadata of embedded resources that only the real server
 * supports
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/validation/validation.go
 * (`validateCustomResourceDefinitionValidation`)
 */
export const validateVersionSchema = (
  schema: StructuralSchema | undefined,
  path: FieldPath,
  hasStatus: boolean,
): FieldError[] => {
  if (schema === undefined) return [];
  const at = memberPath(path, 'openAPIV3Schema');
  const root = [
    ...(hasStatus ? validateRoot(schema, path) : []),
    ...(schema.nullable === true
      ? [forbiddenField(memberPath(at, 'nullable'), 'nullable cannot be true at the root')]
      : []),
  ];
  // A schema that cannot be converted to the structural form has only the errors from the check of keywords.
  const keywords = validateOpenApi(schema, at, false);
  const structural = isConvertible(schema) ? validateStructural(schema, at) : [];
  if (structural.length > 0 || !isConvertible(schema)) return [...root, ...structural, ...keywords];
  const defaults = validateDefaultValues(schema, at);
  if (defaults.length > 0) return [...root, ...defaults, ...keywords];
  return [...root, ...validateOpenApi(schema, at, true)];
};

const UNSUPPORTED = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'];

const partsOf = (schema: StructuralSchema): StructuralSchema[] => {
  const { items, additionalProperties, not, allOf = [], anyOf = [], oneOf = [] } = schema;
  return [
    ...Object.values(schema.properties ?? {}),
    ...(items ? [items] : []),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...(not ? [not] : []),
    ...allOf,
    ...anyOf,
    ...oneOf,
  ];
};

/** Whether a schema has no keyword that prevents the conversion to structural form. */
const isConvertible = (schema: StructuralSchema): boolean =>
  !UNSUPPORTED.some((name) => !isZero((schema as Readonly<Record<string, unknown>>)[name])) &&
  !Array.isArray(schema.items) &&
  schema['x-kubernetes-preserve-unknown-fields'] !== false &&
  partsOf(schema).every(isConvertible);
