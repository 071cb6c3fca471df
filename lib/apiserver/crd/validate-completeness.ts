import { memberOf } from '#lib/json.ts';
import { childOf, type FieldError, type FieldPath, keyOf, required } from '#lib/apiserver/machinery/field-error.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';

/** Where a property of a schema stands. */
export const propertyPath = (path: FieldPath, name: string): FieldPath => keyOf(childOf(path, 'properties'), name);

/** The place of an alternative, and what belongs to it. */
interface Counterpart {
  /** What the structural part of the schema has at the same place. */
  readonly schema: Schema | undefined;
  readonly at: FieldPath;
  /** The place in the alternative. */
  readonly from: FieldPath;
}

const validateNestedCompleteness = (nested: Schema, counterpart: Counterpart): FieldError[] => {
  const { schema, at, from } = counterpart;
  if (schema === undefined) return [required(at, `because it is defined in ${from}`)];
  const items = nested.items && {
    nested: nested.items,
    counterpart: { schema: schema.items, at: childOf(at, 'items'), from: childOf(from, 'items') },
  };
  return [
    ...validateCompleteness(nested, counterpart),
    ...(items ? validateNestedCompleteness(items.nested, items.counterpart) : []),
    ...Object.entries(nested.properties ?? {}).flatMap(([name, property]) =>
      validateNestedCompleteness(property, {
        schema: memberOf(schema.properties, name),
        at: propertyPath(at, name),
        from: propertyPath(from, name),
      }),
    ),
  ];
};

/**
 * Checks that what the alternatives of a schema are about is declared by its structural part.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/complete.go
 */
export const validateCompleteness = (value: Schema, { schema, at, from }: Counterpart): FieldError[] => {
  const check = (nested: Schema, where: FieldPath) => validateNestedCompleteness(nested, { schema, at, from: where });
  const each = (name: 'allOf' | 'anyOf' | 'oneOf') =>
    (value[name] ?? []).flatMap((nested, index) => check(nested, keyOf(childOf(from, name), index)));
  return [
    ...(value.not ? check(value.not, childOf(from, 'not')) : []),
    ...each('allOf'),
    ...each('anyOf'),
    ...each('oneOf'),
  ];
};
