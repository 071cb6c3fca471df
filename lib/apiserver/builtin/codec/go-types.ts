import goFields from './go-fields.json' with { type: 'json' };

type FieldNames = Readonly<Record<string, readonly string[]>>;

const toSets = (table: FieldNames): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(table).map(([type, fields]) => [type, new Set(fields)]));

const pointers = toSets(goFields.pointers);
const alwaysWritten = toSets(goFields.alwaysWritten);

/**
 * Whether a scalar field is a pointer in Go. If so, a `0`, `false` or `''` in a request is kept. OpenAPI does not have this
 * information.
 */
export const isPointer = (type: string, field: string): boolean => pointers.get(type)?.has(field) === true;

/** Whether Go writes a field even when it is empty, although OpenAPI declares it optional. */
export const isAlwaysWritten = (type: string, field: string): boolean => alwaysWritten.get(type)?.has(field) === true;
