/** The type of a scalar; 'untyped' permits any scalar. */
export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

/**
 * How a list is merged: as one value, or element by element. An element is identified by its keys or, if there are none, by its
 * value.
 */
export interface ListType {
  readonly isAtomic: boolean;
  readonly keys: readonly string[];
  readonly element: Atom;
}

/** One declared member of a map. */
export interface StructField {
  readonly atom: Atom;
  /** The default of the member. This value is used if the member is the key of a list and absent in an item. */
  readonly default: unknown;
}

/** How an object is merged: as one value, or member by member. */
export interface MapType {
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, StructField>;
  /** The type of members that are not declared; `undefined` when such members are not allowed. */
  readonly element: Atom | undefined;
}

/**
 * The type of a value: one to three permitted shapes.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 schema/elements.go
 */
export interface Atom {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
  /** The only permitted shape; absent if several shapes are permitted. */
  readonly only?: AtomShape;
  /** Whether every value is permitted. Values of such a type need no validation. */
  readonly isAnything?: boolean;
}

/** A shape of a value. */
export type AtomShape = 'scalar' | 'list' | 'map';

/** The fields of a map without declared members. */
export const noFields: ReadonlyMap<string, StructField> = new Map();

const anything = (isAtomic: boolean): Atom => {
  const atom: { -readonly [name in keyof Atom]: Atom[name] } = { scalar: 'untyped', isAnything: true };
  const element = isAtomic ? atom : untyped;
  atom.list = { isAtomic: true, keys: [], element };
  atom.map = { isAtomic, fields: noFields, element: atom };
  return atom;
};

/** The type `__untyped_atomic_`: any value, which is merged as one value. */
export const untyped: Atom = anything(true);

/** The type `__untyped_deduced_`: any value. Objects are merged member by member. */
export const deduced: Atom = anything(false);

const onlyScalar = (scalar: ScalarType): Atom => ({ scalar, only: 'scalar' });

/** Types of scalars only. */
export const scalarAtoms = {
  numeric: onlyScalar('numeric'),
  string: onlyScalar('string'),
  boolean: onlyScalar('boolean'),
  untyped: onlyScalar('untyped'),
} as const;

/**
 * Returns the shape of a value under an atom: the only permitted shape, or else the shape of the value itself. If several shapes
 * are permitted, returns undefined for null, and for a shape that is not permitted.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/helpers.go (`deduceAtom`)
 */
export const deducedShape = (atom: Atom, value: unknown): AtomShape | undefined => {
  if (atom.only !== undefined) return atom.only;
  if (value === null) return undefined;
  if (typeof value !== 'object') return atom.scalar === undefined ? undefined : 'scalar';
  if (Array.isArray(value)) return atom.list === undefined ? undefined : 'list';
  return atom.map === undefined ? undefined : 'map';
};

/** Returns the first permitted shape, in the order map, scalar, list. Used when the value does not determine the shape. */
export const firstShape = ({ map, scalar }: Atom): AtomShape => {
  if (map !== undefined) return 'map';
  return scalar === undefined ? 'list' : 'scalar';
};

/** Returns the shape as which a value is processed: {@link deducedShape}, or else {@link firstShape}. */
export const shapeOf = (atom: Atom, value: unknown): AtomShape => deducedShape(atom, value) ?? firstShape(atom);

/** Returns the type of a map's member; undefined when the schema does not have the member. */
export const memberAtom = ({ fields, element }: MapType, name: string): Atom | undefined =>
  fields.get(name)?.atom ?? element;
