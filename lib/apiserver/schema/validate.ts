import type { FieldError } from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { type Correlated, correlatedItem, correlatedMember, isUnchanged } from '#lib/cel/correlation.ts';
import { valuesSchemaOf } from '#lib/cel/subschema.ts';
import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import {
  addFailure,
  emptyResult,
  mergeResults,
  missing,
  notAllowed,
  notInEnum,
  notUnique,
  rootFailure,
  tooFewMembers,
  tooManyMembers,
  type ValidationResult,
} from './result.ts';
import { isKnownFormat, validateFormat, validateNumber, validateText } from './validate-scalar.ts';
import { validateNull, validateType } from './validate-type.ts';

interface ValidationPosition {
  readonly path: string;
  /** The value with its state before the update; present if an unchanged value may stay invalid. */
  readonly past?: Correlated | undefined;
}

const validateAnyOf = (
  result: ValidationResult,
  schemas: readonly StructuralSchema[],
  { value, path }: Valued,
): void => {
  let best: ValidationResult | undefined;
  for (const schema of schemas) {
    const one = validateValue(schema, value, { path });
    if (one.failures.length === 0) return mergeResults(result, one);
    if (best === undefined || one.matches > best.matches) best = one;
  }
  addFailure(result, rootFailure(`"${path}" must validate at least one schema (anyOf)`));
  if (best !== undefined) mergeResults(result, best);
};

const validateOneOf = (
  result: ValidationResult,
  schemas: readonly StructuralSchema[],
  { value, path }: Valued,
): void => {
  const results = schemas.map((schema) => validateValue(schema, value, { path }));
  const valid = results.filter(({ failures }) => failures.length === 0);
  if (valid.length === 1 && valid[0] !== undefined) return mergeResults(result, valid[0]);
  const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  addFailure(result, rootFailure(`"${path}" must validate one and only one schema (oneOf). ${found}`));
  if (valid.length > 0) return;
  let best: ValidationResult | undefined;
  for (const one of results) if (best === undefined || one.matches > best.matches) best = one;
  if (best !== undefined) mergeResults(result, best);
};

const validateAllOf = (
  result: ValidationResult,
  schemas: readonly StructuralSchema[],
  { value, path }: Valued,
): void => {
  let valid = 0;
  for (const schema of schemas) {
    const one = validateValue(schema, value, { path });
    if (one.failures.length === 0) valid += 1;
    mergeResults(result, one);
  }
  if (valid === schemas.length) return;
  const none = valid === 0 ? '. None validated' : '';
  addFailure(result, rootFailure(`"${path}" must validate all the schemas (allOf)${none}`));
};

interface Valued {
  readonly value: unknown;
  readonly path: string;
}

/** Validates the alternatives of a schema, such as `anyOf`. @see k8s.io/kube-openapi pkg/validation/validate/schema_props.go */
const validateAlternatives = (result: ValidationResult, schema: StructuralSchema, valued: Valued): void => {
  const { anyOf, oneOf, allOf, not } = schema;
  if (anyOf !== undefined && anyOf.length > 0) validateAnyOf(result, anyOf, valued);
  if (oneOf !== undefined && oneOf.length > 0) validateOneOf(result, oneOf, valued);
  if (allOf !== undefined && allOf.length > 0) validateAllOf(result, allOf, valued);
  if (not !== undefined && validateValue(not, valued.value, { path: valued.path }).failures.length === 0) {
    addFailure(result, rootFailure(`"${valued.path}" must not validate the schema (not)`));
  }
};

/** @see k8s.io/kube-openapi pkg/validation/validate/slice_validator.go */
const validateList = (
  result: ValidationResult,
  schema: StructuralSchema,
  { value, place }: { value: readonly unknown[]; place: ValidationPosition },
): void => {
  const { path, past } = place;
  const { items, minItems, maxItems } = schema;
  const size = value.length;
  if (items !== undefined) {
    value.forEach((item, index) => {
      const one = validateValue(items, item, { path: `${path}[${index}]`, past: past && correlatedItem(past, index) });
      mergeResults(result, one);
    });
  }
  if (minItems !== undefined && size < minItems)
    addFailure(result, tooFewMembers(path, { size, limit: minItems }, 'items'));
  if (maxItems !== undefined && size > maxItems)
    addFailure(result, tooManyMembers(path, { size, limit: maxItems }, 'items'));
  if (
    schema.uniqueItems === true &&
    value.some((item, index) => value.slice(0, index).some((o) => equalJson(o, item)))
  ) {
    addFailure(result, notUnique(path));
  }
};

/**
 * Returns the earlier state of a member; undefined for `apiVersion` and `kind` of the resource. Both objects were converted to
 * the same version. For this reason, these two members would always count as unchanged.
 */
const pastOfMember = ({ path, past }: ValidationPosition, name: string): Correlated | undefined =>
  past === undefined || (path === '' && (name === 'kind' || name === 'apiVersion'))
    ? undefined
    : correlatedMember(past, name);

const validateExtra = (
  result: ValidationResult,
  schema: StructuralSchema,
  { value, place }: { value: JsonObject; place: ValidationPosition },
): void => {
  const values = valuesSchemaOf(schema);
  if (values === undefined && schema.additionalProperties !== false) return;
  for (const name of Object.keys(value)) {
    if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) continue;
    if (values === undefined) addFailure(result, notAllowed(place.path, name));
    else {
      const path = `${place.path}.${name}`;
      mergeResults(result, validateValue(values, value[name], { path, past: pastOfMember(place, name) }));
    }
  }
};

/** @see k8s.io/kube-openapi pkg/validation/validate/object_validator.go */
const validateObject = (
  result: ValidationResult,
  schema: StructuralSchema,
  { value, place }: { value: JsonObject; place: ValidationPosition },
): void => {
  const { path } = place;
  const { minProperties, maxProperties, properties = {} } = schema;
  const size = minProperties === undefined && maxProperties === undefined ? 0 : Object.keys(value).length;
  if (minProperties !== undefined && size < minProperties) {
    addFailure(result, tooFewMembers(path, { size, limit: minProperties }, 'properties'));
  }
  if (maxProperties !== undefined && size > maxProperties) {
    addFailure(result, tooManyMembers(path, { size, limit: maxProperties }, 'properties'));
  }
  validateExtra(result, schema, { value, place });
  for (const name of Object.keys(properties)) {
    const property = properties[name];
    if (property === undefined || !Object.hasOwn(value, name)) continue;
    const at = { path: path === '' ? name : `${path}.${name}`, past: pastOfMember(place, name) };
    mergeResults(result, validateValue(property, value[name], at));
  }
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name)) addFailure(result, missing(`${path}.${name}`));
};

/**
 * Runs the validators that apply to the type of a value. As on the real server, `matches` increases by the number of these
 * validators, even if some of them fail.
 */
const validateByKind = (
  result: ValidationResult,
  schema: StructuralSchema,
  { value, place }: { value: unknown; place: ValidationPosition },
): void => {
  const { path } = place;
  if (typeof value === 'string') {
    result.matches += 1;
    validateText(result, schema, { value, path });
    if (!isKnownFormat(schema)) return;
    result.matches += 1;
    validateFormat(result, schema, { value, path });
  } else if (typeof value === 'number') {
    result.matches += 2;
    validateNumber(result, schema, { value, path });
  } else if (Array.isArray(value)) {
    result.matches += 2;
    validateList(result, schema, { value, place });
  }
};

const isInEnum = (value: unknown, values: readonly unknown[]): boolean => values.some((one) => equalJson(one, value));

const check = (schema: StructuralSchema, value: unknown, place: ValidationPosition): ValidationResult => {
  const result = emptyResult();
  const { path } = place;
  if (value === null) {
    validateNull(result, schema, path);
    return result;
  }
  validateType(result, schema, { value, path });
  validateAlternatives(result, schema, { value, path });
  result.matches += 2;
  validateByKind(result, schema, { value, place });
  if (schema.enum !== undefined && schema.enum.length > 0 && !isInEnum(value, schema.enum)) {
    addFailure(result, notInEnum(path, value, schema.enum));
  }
  result.matches += 2;
  if (isPlainObject(value)) {
    result.matches += 1;
    validateObject(result, schema, { value, place });
  }
  return result;
};

/**
 * Validates a value. Errors of an unchanged value are dropped.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/validation/ratcheting.go
 */
const validateValue = (schema: StructuralSchema, value: unknown, place: ValidationPosition): ValidationResult => {
  const result = check(schema, value, place);
  return result.failures.length > 0 && isUnchanged(place.past) ? { ...result, failures: [] } : result;
};

/** Options of {@link validateSchema}. */
export interface SchemaValidation {
  /**
   * Prefix for the paths of errors, such as `status` for the status subresource. Paths inside the messages do not have the
   * prefix.
   */
  readonly at?: string;
  /** The value before the update. Parts that are invalid and unchanged cause no errors. */
  readonly old?: unknown;
}

/**
 * Validates a value against a structural schema, with the server's messages.
 *
 * @returns errors in the order of the schema. On the real server, the order is random, because Go maps have no order
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/validation/validation.go
 */
export const validateSchema = (
  schema: StructuralSchema,
  value: unknown,
  options: SchemaValidation = {},
): FieldError[] => {
  const { at = '', old } = options;
  const plain = check(schema, value, { path: '' });
  if (plain.failures.length === 0) return [];
  const { failures } =
    old === undefined ? plain : validateValue(schema, value, { path: '', past: { value, old, schema } });
  return failures.map((failure) => failure.toFieldError(at));
};
