import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { isInteger } from '#lib/apiserver/machinery/text/go-format.ts';
import { addFailure, notInEnum, type ValidationResult, wrongTypeFailure } from './result.ts';
import { isIntegral, isKnownFormat } from './validate-scalar.ts';

const typesOf = (schema: StructuralSchema): readonly string[] => {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
};

const typeOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

/**
 * Returns the format of a schema; '' if the format does not belong to the type. The real server drops such formats from a
 * CRD.
 */
const formatOf = (schema: StructuralSchema): string => {
  const { type, format = '' } = schema;
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : '';
  if (type === 'number') return format === 'float' || format === 'double' ? format : '';
  return isKnownFormat(schema) ? format : '';
};

/** The format that the real server assigns to a number, depending on its type. */
const foundFormat = (type: string): string => (type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '');

const isOfType = (types: readonly string[], type: string, value: unknown): boolean => {
  if (types.includes(type)) return true;
  if (type === 'integer') return types.includes('number');
  return type === 'number' && types.includes('integer') && isIntegral(value as number);
};

/**
 * Checks that a value has the type of its schema.
 *
 * @see k8s.io/kube-openapi pkg/validation/validate/type.go
 */
export const validateType = (
  result: ValidationResult,
  schema: StructuralSchema,
  { value, path }: { value: unknown; path: string },
): void => {
  const types = typesOf(schema);
  const format = formatOf(schema);
  if (types.length === 0 && format === '') return;
  result.matches += 1;
  const type = typeOf(value);
  const numeric = types.includes('number') || types.includes('integer');
  const fits = isOfType(types, type, value);
  if (format !== '' && (type === 'string' || type === 'array') && !numeric) result.matches += 1;
  else if (fits) result.matches += 1;
  else if (format !== '' && type !== 'string' && type !== 'array' && foundFormat(type) !== format) {
    addFailure(result, wrongTypeFailure(path, format, foundFormat(type)));
  } else addFailure(result, wrongTypeFailure(path, types.join(','), type));
};

/** Checks whether null is allowed. If a schema has an enum, null is not allowed, even if the enum contains null. */
export const validateNull = (result: ValidationResult, schema: StructuralSchema, path: string): void => {
  const types = typesOf(schema);
  if (types.length > 0 && schema.nullable !== true) addFailure(result, wrongTypeFailure(path, types.join(','), 'null'));
  else result.matches += 1;
  if (schema.enum !== undefined && schema.enum.length > 0) addFailure(result, notInEnum(path, null, schema.enum));
};
