import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { isMap } from '../fields/value.ts';
import { type Atom, deduced, type ListType, type MapType, type StructField, scalarAtoms, untyped } from './atom.ts';
import { typeMeta } from './object-meta-atom.ts';

/** A schema, and whether unknown fields are kept because an ancestor sets `x-kubernetes-preserve-unknown-fields`. */
interface SchemaPosition {
  readonly schema: StructuralSchema;
  readonly preservesUnknown: boolean;
  readonly isObject?: boolean;
}

const scalarAtom = (type: string, format: string | undefined): Atom => {
  if (type === 'integer' || type === 'number') return scalarAtoms.numeric;
  if (type === 'boolean') return scalarAtoms.boolean;
  const isText = type === 'string' && (format === undefined || format === '' || format === 'byte');
  return isText ? scalarAtoms.string : scalarAtoms.untyped;
};

const elementAtom = ({ schema, preservesUnknown }: SchemaPosition): Atom | undefined => {
  const { additionalProperties: additional, properties = {} } = schema;
  if (additional === undefined) return preservesUnknown || Object.keys(properties).length === 0 ? deduced : undefined;
  if (isMap(additional)) return toAtom({ schema: additional, preservesUnknown });
  return additional ? deduced : undefined;
};

const toMapType = (place: SchemaPosition): MapType => {
  const { schema, preservesUnknown, isObject = schema['x-kubernetes-embedded-resource'] ?? false } = place;
  const fields = new Map<string, StructField>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    fields.set(name, { atom: toAtom({ schema: member, preservesUnknown }), default: member.default });
  }
  if (isObject) for (const [name, atom] of Object.entries(typeMeta)) fields.set(name, { atom, default: undefined });
  return { isAtomic: schema['x-kubernetes-map-type'] === 'atomic', fields, element: elementAtom(place) };
};

const toListType = ({ schema, preservesUnknown }: SchemaPosition): ListType => {
  const kind = schema['x-kubernetes-list-type'] ?? 'atomic';
  return {
    isAtomic: kind === 'atomic',
    keys: kind === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [],
    element: schema.items === undefined ? untyped : toAtom({ schema: schema.items, preservesUnknown }),
  };
};

const toAtom = (outer: SchemaPosition): Atom => {
  const { schema } = outer;
  const preservesUnknown = outer.preservesUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const place = { ...outer, preservesUnknown };
  switch (schema.type ?? '') {
    case '':
      return { scalar: 'untyped', list: toListType(place), map: toMapType(place) };
    case 'object':
      return { map: toMapType(place), only: 'map' };
    case 'array':
      return { list: toListType(place), only: 'list' };
    default:
      return scalarAtom(schema.type ?? '', schema.format);
  }
};

const known = new WeakMap<StructuralSchema, Atom>();

/**
 * Returns the type that server-side apply uses to merge objects with a schema. The type is computed once per schema.
 *
 * @see k8s.io/kube-openapi v0.0.0-20260317180543 pkg/schemaconv/openapi.go
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/openapi/builder/builder.go (`buildKubeNative`)
 */
export const atomOf = (schema: StructuralSchema): Atom => {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const atom = toAtom({ schema, preservesUnknown: false, isObject: true });
  known.set(schema, atom);
  return atom;
};
