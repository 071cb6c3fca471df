import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  notSupported,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { MISSING_FORMATS } from '#lib/apiserver/schema/formats.ts';
import { isMetaField, valuesSchemaOf } from '#lib/cel/subschema.ts';
import { validateListKeywords } from './validate-list-keywords.ts';
import { validateExpressions, validateRuleKeywords } from './validate-rule-keywords.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';

interface OpenApiPosition {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** The reason why the schema must not have a default; undefined if a default is allowed. */
  readonly noDefault: string | undefined;
  readonly insideMeta: boolean;
  readonly uncorrelatable: FieldPath | undefined;
  /**
   * Whether to compile rules. Rules inside alternatives are not compiled. `validateVersionSchema` checks each schema first
   * without rules, because the schema may not be structural.
   */
  readonly withRules: boolean;
}

interface Errors {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

const KEYWORDS_REFUSED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const refuseFormat = ({ type, format = '' }: StructuralSchema): void => {
  const isText = type === undefined || type === 'string';
  if (isText && MISSING_FORMATS.has(format.replaceAll('-', ''))) throw notImplemented(`the format ${format}`);
};

const validateKeywords = (schema: StructuralSchema, { path, noDefault, insideMeta }: OpenApiPosition): FieldError[] => {
  const { type = '' } = schema;
  const at = (name: string): FieldPath => memberPath(path, name);
  const members = schema as Readonly<Record<string, unknown>>;
  const errors: FieldError[] = [];
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupported(at('type'), type, TYPES));
  if (isPresent(schema.default) && noDefault !== undefined) {
    errors.push(forbiddenField(at('default'), `must not be set ${noDefault}`));
  }
  for (const name of KEYWORDS_REFUSED) {
    if (isPresent(members[name])) errors.push(forbiddenField(at(name), `${name} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbiddenField(at('type'), 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(schema.items)) {
    errors.push(forbiddenField(at('items'), 'items must be a schema object and not an array'));
  }
  if (insideMeta && schema[EMBEDDED] === true) {
    errors.push(forbiddenField(at(EMBEDDED), 'must not be used inside of resource meta'));
  }
  refuseFormat(schema);
  return errors;
};

const UNIQUE = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';

const validateOwn = (schema: StructuralSchema, place: OpenApiPosition): FieldError[] => {
  const { path } = place;
  const { additionalProperties, properties = {} } = schema;
  const both =
    additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties).length > 0;
  return [
    ...validateKeywords(schema, place),
    ...(schema.uniqueItems === true ? [forbiddenField(memberPath(path, 'uniqueItems'), UNIQUE)] : []),
    ...(both
      ? [
          forbiddenField(
            memberPath(path, 'additionalProperties'),
            'additionalProperties and properties are mutual exclusive',
          ),
        ]
      : []),
    ...(schema[PRESERVE] === false
      ? [invalidValue(memberPath(path, PRESERVE), false, 'must be true or undefined')]
      : []),
    ...validateListKeywords(schema, path),
    ...validateRuleKeywords(schema, path),
  ];
};

const propertyPlace = (schema: StructuralSchema, place: OpenApiPosition, name: string): OpenApiPosition => {
  const isMeta = (place.isRoot || schema[EMBEDDED] === true) && isMetaField(name);
  return {
    ...place,
    path: keyPath(memberPath(place.path, 'properties'), name),
    isRoot: false,
    insideMeta: place.insideMeta || isMeta,
    noDefault: place.isRoot && isMeta ? `in top-level ${name}` : place.noDefault,
  };
};

/** Returns the schemas inside a schema, with their positions. */
const partsOf = (
  schema: StructuralSchema,
  place: OpenApiPosition,
): (readonly [StructuralSchema, OpenApiPosition])[] => {
  const { path } = place;
  const values = valuesSchemaOf(schema);
  const noDefault = place.insideMeta ? 'inside additionalProperties applying to object metadata' : place.noDefault;
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  const uncorrelatable = place.uncorrelatable ?? (isMap ? undefined : path);
  const inner = { ...place, isRoot: false };
  const alternative = (name: string): OpenApiPosition => ({ ...inner, path: memberPath(path, name), withRules: false });
  const several = (name: 'allOf' | 'oneOf' | 'anyOf') =>
    (schema[name] ?? []).map(
      (one, index) => [one, { ...alternative(name), path: keyPath(memberPath(path, name), index) }] as const,
    );
  const { items } = schema;
  return [
    ...(values ? [[values, { ...inner, noDefault, path: memberPath(path, 'additionalProperties') }] as const] : []),
    ...Object.entries(schema.properties ?? {}).map(([name, one]) => [one, propertyPlace(schema, place, name)] as const),
    ...(schema.not ? [[schema.not, alternative('not')] as const] : []),
    ...several('allOf'),
    ...several('oneOf'),
    ...several('anyOf'),
    ...(items && !Array.isArray(items)
      ? [[items, { ...inner, uncorrelatable, path: memberPath(path, 'items') }] as const]
      : []),
  ];
};

const validateNode = (schema: StructuralSchema, place: OpenApiPosition): Errors => {
  const own = validateOwn(schema, place);
  const parts = partsOf(schema, place).map(([part, at]) => validateNode(part, at));
  const all = [...own, ...parts.flatMap((errors) => errors.schema)];
  const { path, uncorrelatable } = place;
  const isRoot = place.isRoot || schema[EMBEDDED] === true;
  const rules =
    all.length === 0 && place.withRules ? validateExpressions(schema, { path, isRoot, uncorrelatable }) : [];
  return { schema: all, rules: [...parts.flatMap((errors) => errors.rules), ...rules] };
};

/**
 * Checks the keywords of a schema and, if requested, compiles its rules.
 *
 * @throws {StatusError} 501 for formats and rules that only the real server supports
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/validation/validation.go
 * (`ValidateCustomResourceDefinitionOpenAPISchema`)
 */
export const validateOpenApi = (schema: StructuralSchema, path: FieldPath, withRules: boolean): FieldError[] => {
  const root = { path, isRoot: true, noDefault: undefined, insideMeta: false, uncorrelatable: undefined, withRules };
  const errors = validateNode(schema, root);
  return [...errors.schema, ...errors.rules];
};
