import {
  type FieldError,
  type FieldPath,
  invalidValue,
  keyPath,
  memberPath,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { coerceEmbedded, validateEmbedded } from '#lib/apiserver/schema/embedded.ts';
import { isPruned } from '#lib/apiserver/schema/prune.ts';
import { validateSchema } from '#lib/apiserver/schema/validate.ts';
import { isMetaField } from '#lib/cel/subschema.ts';
import { validateRules } from '#lib/cel/validate-rules.ts';

/** Evaluates the rules of a schema on its default, as an update and then as a create. Returns the first errors. */
const rulesOn = (schema: StructuralSchema, isRoot: boolean, at: FieldPath): readonly FieldError[] => {
  const value = schema.default;
  const updated = validateRules(schema, value, { old: value, at, isRoot });
  if (updated === 'skipped' || updated.length > 0) return updated === 'skipped' ? [] : updated;
  const created = validateRules(schema, value, { at, isRoot });
  return created === 'skipped' ? [] : created;
};

const validateValue = (schema: StructuralSchema, isRoot: boolean, path: FieldPath): readonly FieldError[] => {
  const value = schema.default;
  const at = memberPath(path, 'default');
  const coerced = coerceEmbedded(value, schema);
  if ('error' in coerced) return [{ ...coerced.error, field: memberPath(at, coerced.error.field) }];
  const embedded = validateEmbedded(value, schema, at);
  if (embedded.length > 0) return embedded;
  const errors = validateSchema(schema, value, { at });
  return errors.length > 0 ? errors : rulesOn(schema, isRoot, at);
};

const validateDefault = (schema: StructuralSchema, isRoot: boolean, path: FieldPath): readonly FieldError[] => {
  if (schema.default === undefined || schema.default === null) return [];
  const pruned = isPruned(schema.default, schema)
    ? []
    : [invalidValue(memberPath(path, 'default'), schema.default, 'must not have unknown fields')];
  return [...pruned, ...validateValue(schema, isRoot, path)];
};

const validateNode = (schema: StructuralSchema, path: FieldPath, isRoot: boolean): readonly FieldError[] => {
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const properties = Object.entries(schema.properties ?? {});
  return [
    ...validateDefault(schema, isResource, path),
    ...(schema.items ? validateNode(schema.items, memberPath(path, 'items'), false) : []),
    ...properties.flatMap(([name, property]) => {
      const at = keyPath(memberPath(path, 'properties'), name);
      if (!isResource || !isMetaField(name)) return validateNode(property, at, false);
      if (!isRoot && hasDefault(property)) throw notImplemented('defaults in the metadata of embedded resources');
      return [];
    }),
  ];
};

const hasDefault = (schema: StructuralSchema): boolean =>
  (schema.default !== undefined && schema.default !== null) ||
  (schema.items !== undefined && hasDefault(schema.items)) ||
  Object.values(schema.properties ?? {}).some(hasDefault);

/**
 * Checks that the defaults of a schema satisfy the schema.
 *
 * @throws {StatusError} 501 for defaults in the metadata of embedded resources
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/defaulting/validation.go
 */
export const validateDefaultValues = (schema: StructuralSchema, path: FieldPath): readonly FieldError[] =>
  validateNode(schema, path, true);
