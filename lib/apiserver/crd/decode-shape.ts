import { jsonTypeOf, unmarshalError } from '#lib/apiserver/machinery/text/go-text.ts';
import { isPlainObject, type JsonObject, setOwn } from '#lib/json.ts';

/** The form of a member of a Go struct: its type in JSON. */
export type DecodeShape =
  | { readonly kind: 'text' | 'flag' | 'int32' | 'int64' | 'float64' | 'json' }
  | { readonly kind: 'list'; readonly items: DecodeShape }
  /** A map. Some Go types of maps have a name, which errors then show. */
  | { readonly kind: 'map'; readonly values: DecodeShape; readonly name?: string }
  /** One of two forms, such as a schema or a boolean. The form depends on the value. */
  | { readonly kind: 'either'; choose(value: unknown): DecodeShape }
  | { readonly kind: 'struct'; readonly name: string; members(): Readonly<Record<string, DecodedMember>> };

/** A member of a struct, and whether its zero value is kept. */
export interface DecodedMember {
  readonly shape: DecodeShape;
  /** Whether a zero value is kept, because Go always writes the member, or because the member is a pointer. */
  readonly keepsZero: boolean;
  /** The value of an absent member that Go always writes. @default the member stays absent */
  readonly zero?: '' | false;
}

/** A decoded value, and the paths of members that its form does not have. */
export interface Shaped {
  readonly value: unknown;
  readonly unknownFields: readonly string[];
}

/** The error for a value of the wrong type, with the message of Go's encoding/json. */
export class ShapeError extends Error {}

interface DecodePosition {
  readonly path: string;
  /** The names of the members on the path, without indices, for errors. */
  readonly members: readonly string[];
  readonly struct: string;
}

interface Walk {
  readonly unknown: string[];
}

const GO_TYPES: Readonly<Record<string, string>> = { text: 'string', flag: 'bool', json: 'v1.JSON' };

const goTypeOf = (shape: DecodeShape): string => {
  if (shape.kind === 'list') return `[]${goTypeOf(shape.items)}`;
  if ('name' in shape) return `v1.${shape.name}`;
  if (shape.kind === 'map') return `map[string]${goTypeOf(shape.values)}`;
  return GO_TYPES[shape.kind] ?? shape.kind;
};

const refuse = (value: unknown, shape: DecodeShape, { members, struct }: DecodePosition): ShapeError => {
  const shown = typeof value === 'number' && shape.kind.startsWith('int') ? `number ${value}` : jsonTypeOf(value);
  const field = members.length === 0 ? undefined : `${struct}.${members.join('.')}`;
  return new ShapeError(unmarshalError(shown, { type: goTypeOf(shape), field }));
};

const LIMITS: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

const isScalar = (value: unknown, kind: string): boolean => {
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'flag') return typeof value === 'boolean';
  if (typeof value !== 'number') return false;
  const limit = LIMITS[kind] ?? 0;
  return kind === 'float64' || (Number.isInteger(value) && -limit <= value && value < limit);
};

const isZero = (value: unknown): boolean => {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isPlainObject(value) && Object.keys(value).length === 0;
};

const decodeStruct = (walk: Walk, object: JsonObject, { shape, place }: At<'struct'>): JsonObject => {
  const members = shape.members();
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined) walk.unknown.push(path);
    else {
      const at = { path, members: [...place.members, name], struct: shape.name };
      const value = decode(walk, object[name], { shape: member.shape, place: at });
      if (value !== undefined && (member.keepsZero || !isZero(value))) setOwn(result, name, value);
    }
  }
  for (const [name, { zero }] of Object.entries(members)) if (zero !== undefined) result[name] ??= zero;
  return result;
};

interface At<K extends DecodeShape['kind'] = DecodeShape['kind']> {
  readonly shape: Extract<DecodeShape, { readonly kind: K }>;
  readonly place: DecodePosition;
}

const decodeMap = (walk: Walk, object: JsonObject, { shape, place }: At<'map'>): JsonObject => {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const at = { ...place, path: `${place.path}.${name}` };
    setOwn(result, name, decode(walk, object[name] ?? {}, { shape: shape.values, place: at }));
  }
  return result;
};

const decode = (
  walk: Walk,
  value: unknown,
  at: { readonly shape: DecodeShape; readonly place: DecodePosition },
): unknown => {
  const { shape, place } = at;
  if (value === null || value === undefined) return undefined;
  if (shape.kind === 'json') return value;
  if (shape.kind === 'either') return decode(walk, value, { shape: shape.choose(value), place });
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) throw refuse(value, shape, place);
    const { items } = shape;
    return value.map((item, index) => {
      const itemPlace = { ...place, path: `${place.path}[${index}]` };
      return decode(walk, item ?? (items.kind === 'text' ? '' : {}), { shape: items, place: itemPlace });
    });
  }
  if (shape.kind === 'struct' || shape.kind === 'map') {
    if (!isPlainObject(value)) throw refuse(value, shape, place);
    return shape.kind === 'struct'
      ? decodeStruct(walk, value, { shape, place })
      : decodeMap(walk, value, { shape, place });
  }
  if (!isScalar(value, shape.kind)) throw refuse(value, shape, place);
  return value;
};

/**
 * Decodes JSON by a form. Drops and reports unknown members. Drops members that are null. Drops zero values of members without
 * `keepsZero`.
 *
 * @throws {ShapeError} for a member of a wrong type
 */
export const decodeShape = (value: unknown, shape: DecodeShape): Shaped => {
  const walk: Walk = { unknown: [] };
  const decoded = decode(walk, value, { shape, place: { path: '', members: [], struct: '' } });
  return { value: decoded, unknownFields: walk.unknown };
};
