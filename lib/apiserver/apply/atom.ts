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

/** A map that declares no members. */
export const noFields: ReadonlyMap<string, StructField> = new Map();

const anything = (isAtomic: boolean): Atom => {
  const atom: { -readonly [name in keyof Atom]: Atom[name] } = { scalar: 'untyped', isAnything: true };
  const element = isAtomic ? atom : untyped;
  atom.list = { isAtomic: true, keys: [], element };
  atom.map = { isAtomic, fields: noFields, element: atom };
  return atom;
};

/** Any value, as one: `__untyped_atomic_`. */
export const untyped: Atom = anything(true);

/** Any value; objects are merged member by member: `__untyped_deduced_`. */
export const deduced: Atom = anything(false);

const onlyScalar = (scalar: Scalar): Atom => ({ scalar, only: 'scalar' });

/** Types of scalars only. */
export const scalars = {
  numeric: onlyScalar('numeric'),
  string: onlyScalar('string'),
  boolean: onlyScalar('boolean'),
  untyped: onlyScalar('untyped'),
} as const;

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
