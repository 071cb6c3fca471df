import {
  type FieldError,
  type FieldPath,
  keyPath,
  memberPath,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { memberOf } from '#lib/json.ts';

/** Returns the path of a property's schema. */
export const propertyPath = (path: FieldPath, name: string): FieldPath => keyPath(memberPath(path, 'properties'), name);

/** A position in an alternative (such as an item of `anyOf`), with the structural schema at the same position. */
interface Counterpart {
  /** The structural schema at the same position; undefined if there is none. */
  readonly schema: StructuralSchema | undefined;
  readonly at: FieldPath;
  /** The position in the alternative. */
  readonly from: FieldPath;
}

const validateNestedCompleteness = (nested: StructuralSchema, counterpart: Counterpart): FieldError[] => {
  const { schema, at, from } = counterpart;
  if (schema === undefined) return [required(at, `because it is defined in ${from}`)];
  const items = nested.items && {
    nested: nested.items,
    counterpart: { schema: schema.items, at: memberPath(at, 'items'), from: memberPath(from, 'items') },
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
 * Checks that the structural schema declares every field in its alternatives.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/complete.go
 */
export const validateCompleteness = (value: StructuralSchema, { schema, at, from }: Counterpart): FieldError[] => {
  const check = (nested: StructuralSchema, where: FieldPath) =>
    validateNestedCompleteness(nested, { schema, at, from: where });
  const each = (name: 'allOf' | 'anyOf' | 'oneOf') =>
    (value[name] ?? []).flatMap((nested, index) => check(nested, keyPath(memberPath(from, name), index)));
  return [
    ...(value.not ? check(value.not, memberPath(from, 'not')) : []),
    ...each('allOf'),
    ...each('anyOf'),
    ...each('oneOf'),
  ];
};
