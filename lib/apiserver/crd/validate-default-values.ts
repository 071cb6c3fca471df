import { childOf, type FieldError, type FieldPath, invalidValue, keyOf } from '#lib/apiserver/machinery/field-error.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { validateRules } from '#lib/apiserver/schema/cel/validate-rules.ts';
import { coerceEmbedded, validateEmbedded } from '#lib/apiserver/schema/embedded.ts';
import { isPruned } from '#lib/apiserver/schema/prune.ts';
import { isMetaField } from '#lib/apiserver/schema/subschema.ts';
import { validateSchema } from '#lib/apiserver/schema/validate.ts';

/** A default appears with an update, and with a creation. */
const rulesOn = (schema: Schema, isRoot: boolean, at: FieldPath): readonly FieldError[] => {
  const value = schema.default;
  const updated = validateRules(schema, value, { old: value, at, isRoot });
  if (updated === 'skipped' || updated.length > 0) return updated === 'skipped' ? [] : updated;
  const created = validateRules(schema, value, { at, isRoot });
  return created === 'skipped' ? [] : created;
};

const validateValue = (schema: Schema, isRoot: boolean, path: FieldPath): readonly FieldError[] => {
  const value = schema.default;
  const at = childOf(path, 'default');
  const coerced = coerceEmbedded(value, schema);
  if ('error' in coerced) return [{ ...coerced.error, field: childOf(at, coerced.error.field) }];
  const embedded = validateEmbedded(value, schema, at);
  if (embedded.length > 0) return embedded;
  const errors = validateSchema(schema, value, { at });
  return errors.length > 0 ? errors : rulesOn(schema, isRoot, at);
};

const validateDefault = (schema: Schema, isRoot: boolean, path: FieldPath): readonly FieldError[] => {
  if (schema.default === undefined || schema.default === null) return [];
  const pruned = isPruned(schema.default, schema)
    ? []
    : [invalidValue(childOf(path, 'default'), schema.default, 'must not have unknown fields')];
  return [...pruned, ...validateValue(schema, isRoot, path)];
};

const validateNode = (schema: Schema, path: FieldPath, isRoot: boolean): readonly FieldError[] => {
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const properties = Object.entries(schema.properties ?? {});
  return [
    ...validateDefault(schema, isResource, path),
    ...(schema.items ? validateNode(schema.items, childOf(path, 'items'), false) : []),
    ...properties.flatMap(([name, property]) => {
      const at = keyOf(childOf(path, 'properties'), name);
      if (!isResource || !isMetaField(name)) return validateNode(property, at, false);
      if (!isRoot && hasDefault(property)) throw notImplemented('defaults in the metadata of embedded resources');
      return [];
    }),
  ];
};

const hasDefault = (schema: Schema): boolean =>
  (schema.default !== undefined && schema.default !== null) ||
  (schema.items !== undefined && hasDefault(schema.items)) ||
  Object.values(schema.properties ?? {}).some(hasDefault);

/**
 * Checks that the defaults of a schema are valid values of it.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/defaulting/validation.go
 */
export const validateDefaultValues = (schema: Schema, path: FieldPath): readonly FieldError[] =>
  validateNode(schema, path, true);
