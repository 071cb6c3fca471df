import {
  childOf,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  keyOf,
  notSupported,
} from '#lib/apiserver/machinery/field-error.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { MISSING_FORMATS } from '#lib/apiserver/schema/formats.ts';
import { isMetaField, valuesSchemaOf } from '#lib/apiserver/schema/subschema.ts';
import { validateListKeywords } from './validate-list-keywords.ts';
import { validateExpressions, validateRuleKeywords } from './validate-rule-keywords.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';

/** What is known of the place of a schema. */
interface Place {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** Why there may be no default, if there may be none. */
  readonly noDefault: string | undefined;
  readonly insideMeta: boolean;
  readonly uncorrelatable: FieldPath | undefined;
  /** False in alternatives, and everywhere while the schema is not structural. */
  readonly withRules: boolean;
}

interface Errors {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

const KEYWORDS_REFUSED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const refuseFormat = ({ type, format = '' }: Schema): void => {
  const isText = type === undefined || type === 'string';
  if (isText && MISSING_FORMATS.has(format.replaceAll('-', ''))) throw notImplemented(`the format ${format}`);
};

const validateKeywords = (schema: Schema, { path, noDefault, insideMeta }: Place): FieldError[] => {
  const { type = '' } = schema;
  const at = (name: string): FieldPath => childOf(path, name);
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

const validateOwn = (schema: Schema, place: Place): FieldError[] => {
  const { path } = place;
  const { additionalProperties, properties = {} } = schema;
  const both =
    additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties).length > 0;
  return [
    ...validateKeywords(schema, place),
    ...(schema.uniqueItems === true ? [forbiddenField(childOf(path, 'uniqueItems'), UNIQUE)] : []),
    ...(both
      ? [
          forbiddenField(
            childOf(path, 'additionalProperties'),
            'additionalProperties and properties are mutual exclusive',
          ),
        ]
      : []),
    ...(schema[PRESERVE] === false ? [invalidValue(childOf(path, PRESERVE), false, 'must be true or undefined')] : []),
    ...validateListKeywords(schema, path),
    ...validateRuleKeywords(schema, path),
  ];
};

const propertyPlace = (schema: Schema, place: Place, name: string): Place => {
  const isMeta = (place.isRoot || schema[EMBEDDED] === true) && isMetaField(name);
  return {
    ...place,
    path: keyOf(childOf(place.path, 'properties'), name),
    isRoot: false,
    insideMeta: place.insideMeta || isMeta,
    noDefault: place.isRoot && isMeta ? `in top-level ${name}` : place.noDefault,
  };
};

/** Schemas that stand in a schema, and where. */
const partsOf = (schema: Schema, place: Place): (readonly [Schema, Place])[] => {
  const { path } = place;
  const values = valuesSchemaOf(schema);
  const noDefault = place.insideMeta ? 'inside additionalProperties applying to object metadata' : place.noDefault;
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  const uncorrelatable = place.uncorrelatable ?? (isMap ? undefined : path);
  const inner = { ...place, isRoot: false };
  const alternative = (name: string): Place => ({ ...inner, path: childOf(path, name), withRules: false });
  const several = (name: 'allOf' | 'oneOf' | 'anyOf') =>
    (schema[name] ?? []).map(
      (one, index) => [one, { ...alternative(name), path: keyOf(childOf(path, name), index) }] as const,
    );
  const { items } = schema;
  return [
    ...(values ? [[values, { ...inner, noDefault, path: childOf(path, 'additionalProperties') }] as const] : []),
    ...Object.entries(schema.properties ?? {}).map(([name, one]) => [one, propertyPlace(schema, place, name)] as const),
    ...(schema.not ? [[schema.not, alternative('not')] as const] : []),
    ...several('allOf'),
    ...several('oneOf'),
    ...several('anyOf'),
    ...(items && !Array.isArray(items)
      ? [[items, { ...inner, uncorrelatable, path: childOf(path, 'items') }] as const]
      : []),
  ];
};

const validateNode = (schema: Schema, place: Place): Errors => {
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
 * Checks the keywords of a schema and, if asked to, compiles its rules.
 *
 * @throws {StatusError} 501 for formats and rules that a real server understands and this one does not
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/validation/validation.go (`ValidateCustomResourceDefinitionOpenAPISchema`)
 */
export const validateOpenApi = (schema: Schema, path: FieldPath, withRules: boolean): FieldError[] => {
  const root = { path, isRoot: true, noDefault: undefined, insideMeta: false, uncorrelatable: undefined, withRules };
  const errors = validateNode(schema, root);
  return [...errors.schema, ...errors.rules];
};
