import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { patternOf } from '#lib/cel/pattern.ts';
import { valuesSchemaOf } from '#lib/cel/subschema.ts';
import { equalJson, memberOf } from '#lib/json.ts';
import { propertyPath, validateCompleteness } from './validate-completeness.ts';

type Level = 'root' | 'item' | 'field';

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const INT_OR_STRING = 'x-kubernetes-int-or-string';

const UNTYPED: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const INT_OR_STRING_TYPES = [{ type: 'integer' }, { type: 'string' }];

const validatePattern = ({ pattern = '' }: StructuralSchema, path: FieldPath): FieldError[] => {
  if (pattern === '') return [];
  try {
    patternOf(pattern);
    return [];
  } catch (error) {
    const why = `must be a valid regular expression, but isn't: ${(error as Error).message}`;
    return [invalidValue(memberPath(path, 'pattern'), pattern, why)];
  }
};

/** The alternatives that may contain types, because they express the type `integer or string`. */
interface Exception {
  readonly anyOf?: boolean;
  readonly firstAllOf?: boolean;
}

const validateAlternatives = (
  schema: StructuralSchema,
  path: FieldPath,
  { anyOf = false, firstAllOf = false }: Exception = {},
): FieldError[] => {
  const nested = (name: 'anyOf' | 'allOf' | 'oneOf', exceptFirst = false): FieldError[] =>
    (schema[name] ?? []).flatMap((one, index) =>
      validateNested(one, keyPath(memberPath(path, name), index), { anyOf: exceptFirst && index === 0 }),
    );
  return [
    ...(anyOf ? [] : nested('anyOf')),
    ...nested('allOf', firstAllOf),
    ...nested('oneOf'),
    ...(schema.not ? validateNested(schema.not, memberPath(path, 'not')) : []),
    ...validatePattern(schema, path),
  ];
};

/**
 * Keywords that alternatives (such as `anyOf`) must not contain. These keywords belong to the declaration of a field. An
 * alternative may only restrict the values of the field.
 */
const FORBIDDEN: readonly (readonly [name: string, why: string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  [PRESERVE, 'must be false to be structural'],
  [EMBEDDED, 'must be false to be structural'],
  [INT_OR_STRING, 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0);

const validateNested = (schema: StructuralSchema, path: FieldPath, exception: Exception = {}): FieldError[] => {
  const properties = Object.entries(schema.properties ?? {});
  const members: Readonly<Record<string, unknown>> = { ...schema };
  return [
    ...validateAlternatives(schema, path, exception),
    ...(schema.items ? validateNested(schema.items, memberPath(path, 'items')) : []),
    ...properties.flatMap(([name, property]) => validateNested(property, propertyPath(path, name))),
    ...FORBIDDEN.filter(([name]) => isSet(members[name])).map(([name, why]) =>
      forbiddenField(memberPath(path, name), why),
    ),
    ...(memberOf(schema.properties, 'metadata') === undefined
      ? []
      : [forbiddenField(propertyPath(path, 'metadata'), 'must not be specified in a nested context')]),
  ];
};

const validateExtensions = (schema: StructuralSchema, path: FieldPath): FieldError[] => {
  if (schema[INT_OR_STRING] !== true) return [];
  const why = 'must be false if x-kubernetes-int-or-string is true';
  return [PRESERVE, EMBEDDED]
    .filter((name) => name in schema && (schema as Readonly<Record<string, unknown>>)[name] === true)
    .map((name) => invalidValue(memberPath(path, name), true, why));
};

const validateType = (schema: StructuralSchema, level: Level, path: FieldPath): FieldError[] => {
  const { type = '' } = schema;
  const at = memberPath(path, 'type');
  const errors: FieldError[] = [];
  if (schema[EMBEDDED] === true && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at, why) : invalidValue(at, type, why));
  } else if (type === '' && schema[INT_OR_STRING] !== true && schema[PRESERVE] !== true) {
    errors.push(required(at, UNTYPED[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalidValue(at, type, 'must be object at the root'));
  return errors;
};

const RESTRICTABLE: ReadonlySet<string> = new Set(['name', 'generateName']);

const isOnlyNames = ({ properties }: StructuralSchema): boolean => {
  const names = Object.keys(properties ?? {});
  return names.length > 0 && names.every((name) => RESTRICTABLE.has(name));
};

const validateRootMetadata = (metadata: StructuralSchema, path: FieldPath): FieldError[] => {
  const { type: _, properties, default: __, ...others } = metadata;
  const rest = properties === undefined || isOnlyNames(metadata) ? others : { ...others, properties };
  const { properties: left = {}, ...more } = rest as { readonly properties?: object };
  if (Object.keys(left).length === 0 && Object.values(more).every((value) => !isSet(value))) return [];
  const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [forbiddenField(path, why)];
};

const validateResourceFields = (schema: StructuralSchema, level: Level, path: FieldPath): FieldError[] => {
  const isResource = level === 'root' || schema[EMBEDDED] === true;
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const type = memberOf(schema.properties, name)?.type;
    if (isResource && memberOf(schema.properties, name) && type !== 'string') {
      errors.push(invalidValue(memberPath(propertyPath(path, name), 'type'), type ?? '', 'must be string'));
    }
  }
  const metadata = memberOf(schema.properties, 'metadata');
  if (metadata === undefined) return errors;
  const at = propertyPath(path, 'metadata');
  if (isResource && metadata.type !== 'object') {
    errors.push(invalidValue(memberPath(at, 'type'), metadata.type ?? '', 'must be object'));
  }
  return level === 'root' ? [...errors, ...validateRootMetadata(metadata, at)] : errors;
};

const validateEmbedded = (schema: StructuralSchema, path: FieldPath): FieldError[] => {
  if (schema[EMBEDDED] !== true) return [];
  const errors: FieldError[] = [];
  if (schema.additionalProperties !== undefined) {
    const why = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbiddenField(memberPath(path, 'additionalProperties'), why));
  }
  if (schema[PRESERVE] !== true && Object.keys(schema.properties ?? {}).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(memberPath(path, 'properties'), why));
  }
  return errors;
};

const validateParts = (schema: StructuralSchema, level: Level, path: FieldPath): FieldError[] => {
  const errors: FieldError[] = [];
  const { items, properties = {}, additionalProperties } = schema;
  if (schema.type === 'array' && items === undefined)
    errors.push(required(memberPath(path, 'items'), 'must be specified'));
  if (items) errors.push(...validateNode(items, 'item', memberPath(path, 'items')));
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...validateNode(property, 'field', propertyPath(path, name)));
  }
  const at = memberPath(path, 'additionalProperties');
  if (additionalProperties !== undefined && level === 'root')
    errors.push(forbiddenField(at, 'must not be used at the root'));
  const values = valuesSchemaOf(schema);
  return values ? [...errors, ...validateNode(values, 'field', at)] : errors;
};

const validateNode = (schema: StructuralSchema, level: Level, path: FieldPath): FieldError[] => {
  const exception = {
    anyOf: equalJson(schema.anyOf, INT_OR_STRING_TYPES),
    firstAllOf: equalJson(schema.allOf?.[0]?.anyOf, INT_OR_STRING_TYPES),
  };
  return [
    ...validateParts(schema, level, path),
    ...validateExtensions(schema, path),
    ...validateAlternatives(schema, path, exception),
    ...validateType(schema, level, path),
    ...validateResourceFields(schema, level, path),
    ...validateEmbedded(schema, path),
  ];
};

const errorLine = ({ field, message }: FieldError): string => `${field}: ${message}`;

/**
 * Checks that a schema is structural. Compares only the alternatives at the root (such as `anyOf`) with the declared fields. The
 * errors are sorted by text.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/{validation,complete}.go
 */
export const validateStructural = (schema: StructuralSchema, path: FieldPath): FieldError[] =>
  [...validateNode(schema, 'root', path), ...validateCompleteness(schema, { schema, at: path, from: path })].toSorted(
    (a, b) => (errorLine(a) < errorLine(b) ? -1 : Number(errorLine(a) > errorLine(b))),
  );
