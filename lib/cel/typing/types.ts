/** The type of a CEL expression in rules. */
export type CelType =
  | { readonly kind: ScalarKind }
  | { readonly kind: 'list'; readonly item: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly item: CelType }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, CelType> }
  /** A type parameter in the signature of a function. */
  | { readonly kind: 'param'; readonly name: string };

type ScalarKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'int'
  | 'null'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint';

/** A type without parameters. */
export const scalar = (kind: ScalarKind): CelType => ({ kind });

/** The type of lists with the given item type. */
export const listOf = (item: CelType): CelType => ({ kind: 'list', item });

/** The type of optional values of the given type. */
export const optionalOf = (item: CelType): CelType => ({ kind: 'optional', item });

/** The type of maps with the given key type and value type. */
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });

/** The type `dyn`: a value of any type, which is checked at run time. */
export const dyn = scalar('dyn');

/** Formats a type as cel-go does. */
export const typeText = (type: CelType): string => {
  if (type.kind === 'list') return `list(${typeText(type.item)})`;
  if (type.kind === 'map') return `map(${typeText(type.key)}, ${typeText(type.value)})`;
  if (type.kind === 'optional') return `optional_type(${typeText(type.item)})`;
  return type.kind === 'param' ? type.name : type.kind;
};

/** The types that a call assigns to the type parameters of a signature, by the name of the parameter. */
export type Bindings = Map<string, CelType>;

const acceptsNull = ({ kind }: CelType): boolean =>
  kind === 'object' || kind === 'optional' || kind === 'timestamp' || kind === 'duration';

/**
 * The common type of two compatible types. The result is `dyn` if one of the types is `dyn`. An empty list gets the item type of
 * the other list.
 */
const moreKnown = (a: CelType, b: CelType): CelType => {
  if (a.kind === 'param' || a.kind === 'null') return b;
  if (a.kind === 'list' && b.kind === 'list') return listOf(moreKnown(a.item, b.item));
  return a.kind === 'dyn' || b.kind === 'dyn' ? dyn : a;
};

const bind = (name: string, type: CelType, bindings: Bindings): boolean => {
  const bound = bindings.get(name);
  if (bound === undefined) bindings.set(name, type);
  else if (isAssignable(type, bound, bindings)) bindings.set(name, moreKnown(bound, type));
  else if (isAssignable(bound, type, bindings)) bindings.set(name, type);
  else return false;
  return true;
};

const partsFit = (from: CelType, to: CelType, bindings: Bindings): boolean => {
  if (from.kind === 'list' && to.kind === 'list') return isAssignable(from.item, to.item, bindings);
  if (from.kind === 'optional' && to.kind === 'optional') return isAssignable(from.item, to.item, bindings);
  if (from.kind === 'map' && to.kind === 'map') {
    return isAssignable(from.key, to.key, bindings) && isAssignable(from.value, to.value, bindings);
  }
  if (from.kind === 'object' && to.kind === 'object') return from.fields === to.fields;
  return from.kind === to.kind;
};

/**
 * Whether a value of one type is assignable to another type. Binds the type parameters of the expected type.
 *
 * @see github.com/google/cel-go v0.26.0 checker/types.go
 */
export const isAssignable = (from: CelType, to: CelType, bindings: Bindings): boolean => {
  if (to.kind === 'param' && !to.name.startsWith('?')) return bind(to.name, from, bindings);
  // A parameter that starts with `?` is the item type of an empty literal, which accepts any type.
  if (to.kind === 'param' || from.kind === 'param') return true;
  if (from.kind === 'dyn' || to.kind === 'dyn') return true;
  if (from.kind === 'null' && acceptsNull(to)) return true;
  return partsFit(from, to, bindings);
};

/** Replaces type parameters by their bindings. A parameter without a binding becomes `dyn`. */
export const substitute = (type: CelType, bindings: Bindings): CelType => {
  if (type.kind === 'param') return bindings.get(type.name) ?? dyn;
  if (type.kind === 'list') return listOf(substitute(type.item, bindings));
  if (type.kind === 'optional') return optionalOf(substitute(type.item, bindings));
  return type.kind === 'map' ? mapOf(substitute(type.key, bindings), substitute(type.value, bindings)) : type;
};
