import goFields from './go-fields.json' with { type: 'json' };

type FieldNames = Readonly<Record<string, readonly string[]>>;

const toSets = (table: FieldNames): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(table).map(([type, fields]) => [type, new Set(fields)]));

const pointers = toSets(goFields.pointers);
const alwaysWritten = toSets(goFields.alwaysWritten);

/** Whether a scalar field is a pointer in Go, so that a received `0`, `false` or `''` is kept. OpenAPI lacks this. */
export const isPointer = (type: string, field: string): boolean => pointers.get(type)?.has(field) === true;

/** Whether Go writes a field even when it is empty, although OpenAPI declares it optional. */
export const isAlwaysWritten = (type: string, field: string): boolean => alwaysWritten.get(type)?.has(field) === true;
