import type { Schema } from '#lib/sim/machinery/schema.ts';
import { isMap } from './value.ts';

/** What a scalar may be; 'untyped' is any of them. */
export type Scalar = 'numeric' | 'string' | 'boolean' | 'untyped';

/** How an array is merged: as one value, or element by element, found by keys or, without keys, by value. */
export interface ListType {
  readonly isAtomic: boolean;
  readonly keys: readonly string[];
  readonly element: Atom;
}

/** One declared member of a map. */
export interface StructField {
  readonly atom: Atom;
  /** Stands in for the member where it is a key of a list and missing. */
  readonly default: unknown;
}

/** How an object is merged: as one value, or member by member. */
export interface MapType {
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, StructField>;
  /** The type of other members; without it there may be none. */
  readonly element: Atom | undefined;
}

/**
 * What a value may be: one of up to three shapes.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 schema/elements.go
 */
export interface Atom {
  readonly scalar?: Scalar;
  readonly list?: ListType;
  readonly map?: MapType;
  /** The only shape there is, if there is one only. */
  readonly only?: Shape;
  /** Every value is of this type, so nothing is to be checked. */
  readonly isAnything?: boolean;
}

/** Which of its shapes an atom has for a value. */
export type Shape = 'scalar' | 'list' | 'map';

const noFields: ReadonlyMap<string, StructField> = new Map();

const anything = (isAtomic: boolean): Atom => {
  const atom: { -readonly [name in keyof Atom]: Atom[name] } = { scalar: 'untyped', isAnything: true };
  const element = isAtomic ? atom : untyped;
  atom.list = { isAtomic: true, keys: [], element };
  atom.map = { isAtomic, fields: noFields, element: atom };
  return atom;
};

/** Any value, as one: `__untyped_atomic_`. */
const untyped: Atom = anything(true);

/** Any value; objects are merged member by member: `__untyped_deduced_`. */
const deduced: Atom = anything(false);

const onlyScalar = (scalar: Scalar): Atom => ({ scalar, only: 'scalar' });

const scalars = {
  numeric: onlyScalar('numeric'),
  string: onlyScalar('string'),
  boolean: onlyScalar('boolean'),
  untyped: onlyScalar('untyped'),
} as const;

const listOf = (element: Atom, keys?: readonly string[]): Atom => ({
  list: { isAtomic: keys === undefined, keys: keys ?? [], element },
  only: 'list',
});

const structOf = (fields: Readonly<Record<string, Atom>>, isAtomic = false): Atom => ({
  map: {
    isAtomic,
    fields: new Map(Object.entries(fields).map(([name, atom]) => [name, { atom, default: undefined }])),
    element: undefined,
  },
  only: 'map',
});

const textMap: Atom = { map: { isAtomic: false, fields: noFields, element: scalars.string }, only: 'map' };

const { string: text, numeric: number, boolean: flag, untyped: time } = scalars;

const ownerReference = structOf(
  { apiVersion: text, blockOwnerDeletion: flag, controller: flag, kind: text, name: text, uid: text },
  true,
);

/** The metadata of every object, whatever its schema says of it, as the server does it for custom resources. */
const objectMeta: Atom = structOf({
  annotations: textMap,
  creationTimestamp: time,
  deletionGracePeriodSeconds: number,
  deletionTimestamp: time,
  finalizers: listOf(text, []),
  generateName: text,
  generation: number,
  labels: textMap,
  managedFields: listOf(untyped),
  name: text,
  namespace: text,
  ownerReferences: listOf(ownerReference, ['uid']),
  resourceVersion: text,
  selfLink: text,
  uid: text,
});

const typeMeta = { apiVersion: text, kind: text, metadata: objectMeta } as const;

/** A schema that `x-kubernetes-preserve-unknown-fields` of an ancestor reaches. */
interface Place {
  readonly schema: Schema;
  readonly preservesUnknown: boolean;
  readonly isObject?: boolean;
}

const scalarAtom = (type: string, format: string | undefined): Atom => {
  if (type === 'integer' || type === 'number') return scalars.numeric;
  if (type === 'boolean') return scalars.boolean;
  const isText = type === 'string' && (format === undefined || format === '' || format === 'byte');
  return isText ? scalars.string : scalars.untyped;
};

const elementAtom = ({ schema, preservesUnknown }: Place): Atom | undefined => {
  const { additionalProperties: additional, properties = {} } = schema;
  if (additional === undefined) return preservesUnknown || Object.keys(properties).length === 0 ? deduced : undefined;
  if (isMap(additional)) return toAtom({ schema: additional, preservesUnknown });
  return additional ? deduced : undefined;
};

const toMapType = (place: Place): MapType => {
  const { schema, preservesUnknown, isObject = schema['x-kubernetes-embedded-resource'] ?? false } = place;
  const fields = new Map<string, StructField>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    fields.set(name, { atom: toAtom({ schema: member, preservesUnknown }), default: member.default });
  }
  if (isObject) for (const [name, atom] of Object.entries(typeMeta)) fields.set(name, { atom, default: undefined });
  return { isAtomic: schema['x-kubernetes-map-type'] === 'atomic', fields, element: elementAtom(place) };
};

const toListType = ({ schema, preservesUnknown }: Place): ListType => {
  const kind = schema['x-kubernetes-list-type'] ?? 'atomic';
  return {
    isAtomic: kind === 'atomic',
    keys: kind === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [],
    element: schema.items === undefined ? untyped : toAtom({ schema: schema.items, preservesUnknown }),
  };
};

const toAtom = (outer: Place): Atom => {
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

const known = new WeakMap<Schema, Atom>();

/**
 * The type of objects with a schema, for merging. Computed once for each schema.
 *
 * @see k8s.io/kube-openapi v0.0.0-20260317180543 pkg/schemaconv/openapi.go
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/openapi/builder/builder.go (`buildKubeNative`)
 */
export const atomOf = (schema: Schema): Atom => {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const atom = toAtom({ schema, preservesUnknown: false, isObject: true });
  known.set(schema, atom);
  return atom;
};

/**
 * The shape that an atom has for a value: the only one it has, else that of the value. Null may be any, which is undefined.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/helpers.go (`deduceAtom`)
 */
export const deducedShape = (atom: Atom, value: unknown): Shape | undefined => {
  if (atom.only !== undefined) return atom.only;
  if (value === null) return undefined;
  if (typeof value !== 'object') return atom.scalar === undefined ? undefined : 'scalar';
  if (Array.isArray(value)) return atom.list === undefined ? undefined : 'list';
  return atom.map === undefined ? undefined : 'map';
};

/** The shape for a value that may be any: the first one of map, scalar and list. */
export const firstShape = ({ map, scalar }: Atom): Shape => {
  if (map !== undefined) return 'map';
  return scalar === undefined ? 'list' : 'scalar';
};

/** The shape under which a value is walked. */
export const shapeOf = (atom: Atom, value: unknown): Shape => deducedShape(atom, value) ?? firstShape(atom);

/** The type of a member of a map; undefined when the schema does not know it. */
export const memberAtom = ({ fields, element }: MapType, name: string): Atom | undefined =>
  fields.get(name)?.atom ?? element;
