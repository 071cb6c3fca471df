import { memberOf } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import type { RuleFinding } from '../rules/rule.ts';
import type { SchemaLint } from './lint.ts';

/**
 * The values of a map are neither objects nor lists. Objects with names are in a list with keys, because tools can merge, patch
 * and show such a list.
 *
 * @see
 *   https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#lists-of-named-subobjects-preferred-over-maps
 */
export const noObjectMap: SchemaLint = {
  id: 'no-object-map',
  severity: 'lint',
  *check({ schema }): Iterable<RuleFinding> {
    const { additionalProperties: values } = schema;
    if (typeof values !== 'object' || (values.type !== 'object' && values.type !== 'array')) return;
    yield {
      message: `is a map to values of type ${values.type}`,
      value: values.type,
      fix: 'use s.mapList with a key such as name',
    };
  },
};

/**
 * The schema of the objects in a list requires at least one field, if it declares fields. Otherwise, an item could be empty, and
 * would have no meaning.
 */
export const itemRequired: SchemaLint = {
  id: 'item-required',
  severity: 'lint',
  *check({ schema, role }): Iterable<RuleFinding> {
    if (role !== 'item' || schema.type !== 'object' || (schema.required?.length ?? 0) > 0) return;
    if (schema.properties === undefined) return;
    yield {
      message: 'an item may be empty: no field of it is required',
      fix: 'require the field that makes an item one',
    };
  },
};

/**
 * A field with a name that ends in `Ref` or `Refs` has no field `namespace`. Otherwise, an author of the resource could use the
 * rights of the operator in other namespaces.
 *
 * @see
 *   https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#object-references
 */
export const referenceNamespace: SchemaLint = {
  id: 'reference-namespace',
  severity: 'lint',
  *check({ schema, name }): Iterable<RuleFinding> {
    if (!/(?:Ref|Refs)$/.test(name) || memberOf(schema.properties, 'namespace') === undefined) return;
    yield {
      message: 'a reference leads into other namespaces',
      fix: 'drop the field namespace: it is that of the resource',
    };
  },
};

/**
 * In the spec, a name in a field that ends in `Ref` or `Refs` has a pattern or an enum. Otherwise, `../secrets/x` would be
 * allowed, and could change the path of a request.
 */
export const referenceName: SchemaLint = {
  id: 'reference-name',
  severity: 'lint',
  *check({ schema, name, part }): Iterable<RuleFinding> {
    if (part !== 'spec' || !/(?:Ref|Refs)$/.test(name)) return;
    const named = schema.type === 'string' ? schema : memberOf(schema.properties, 'name');
    if (named === undefined || named.type !== 'string' || named.pattern !== undefined || named.enum !== undefined)
      return;
    yield { message: 'the name of a reference takes any text, such as ../x', fix: 'use s.objectName, or set pattern' };
  },
};

/** The paths of the fields with a default within a schema, through nested fields and list items. */
const defaultedIn = (schema: JsonSchema, path = ''): string[] => [
  ...(schema.default === undefined ? [] : [path]),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    defaultedIn(field, path === '' ? name : `${path}.${name}`),
  ),
  ...(schema.items ? defaultedIn(schema.items, `${path}[]`) : []),
];

/**
 * The items of an atomic list of the spec have no fields with defaults. An atomic list is compared as a whole, so the stored list
 * never equals an applied list without these fields. Argo CD with server-side apply would show such a resource as OutOfSync
 * forever.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/diff-strategies/
 */
export const atomicDefault: SchemaLint = {
  id: 'atomic-default',
  severity: 'lint',
  *check({ schema, part }): Iterable<RuleFinding> {
    const { items } = schema;
    if (part !== 'spec' || items === undefined || schema['x-kubernetes-list-type'] !== 'atomic') return;
    const fields = defaultedIn(items).filter((field) => field !== '');
    if (fields.length === 0) return;
    yield {
      message: `items of an atomic list have defaults: ${fields.join(', ')}`,
      value: fields,
      fix: 'make the fields optional and let the function choose, or use s.mapList with keys',
    };
  },
};
