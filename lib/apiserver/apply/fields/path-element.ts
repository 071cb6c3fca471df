import { goJson, goQuote } from '#lib/apiserver/machinery/text/go-text.ts';
import { onceByText } from '#lib/apiserver/machinery/text/once-by-text.ts';
import { scalarJson } from './scalar-json.ts';
import { byteOrder, compareTexts, compareValues } from './value.ts';

/**
 * A key of an element in an associative list, with its value. The name is empty if the element is identified by its own value or
 * by its index.
 */
export type KeyField = readonly [name: string, value: unknown];

/**
 * One step of a path to a field, identified by its serialized text.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 fieldpath/element.go
 */
export interface PathElement {
  /** Sort rank: 0 for a member of a map. List elements have 1 if keys identify them, 2 for their own value, 3 for an index. */
  readonly rank: 0 | 1 | 2 | 3;
  /** The form in `fieldsV1`, such as `f:spec` or `k:{"name":"web"}`. */
  readonly text: string;
  /** The name of a member; '' for other elements. */
  readonly name: string;
  /** The sort key of a member, made from its name by {@link byteOrder}; '' for other elements. */
  readonly order: string;
  readonly keys: readonly KeyField[];
}

const noKeys: readonly KeyField[] = [];

/** Limits of each memory of elements. They are necessary because clients may send any number of names of any length. */
const limits = { limit: 20_000, longest: 300 };

/**
 * Returns the path element of a member of a map. Equal elements are usually one object, so most comparisons of texts only compare
 * references.
 */
export const memberElement: (name: string) => PathElement = onceByText(
  (name) => ({ rank: 0, text: `f:${name}`, name, order: byteOrder(name), keys: noKeys }),
  limits,
);

const newKeyElement = (fields: readonly KeyField[]): PathElement => {
  const keys = fields.length > 1 ? fields.toSorted(([a], [b]) => compareTexts(a, b)) : fields;
  const text = `k:{${keys.map(([name, value]) => `${scalarJson(name)}:${scalarJson(value)}`).join(',')}}`;
  return { rank: 1, text, name: '', order: '', keys };
};

/** Returns the path element of an element with one key, whose value is a text: most often a name. */
const textKeyElement: (field: readonly [name: string, value: string]) => PathElement = onceByText(
  (field) => newKeyElement([field]),
  { textOf: ([name, value]) => `${name.length}:${name}${value}`, ...limits },
);

/** Returns the path element of an element of an associative list, by keys. */
export const keyElement = (fields: readonly KeyField[]): PathElement => {
  const [name, value] = fields[0] ?? [];
  return fields.length === 1 && name !== undefined && typeof value === 'string'
    ? textKeyElement([name, value])
    : newKeyElement(fields);
};

/** Creates the path element of an element of a set, by value. */
export const valueElement = (value: unknown): PathElement => ({
  rank: 2,
  text: `v:${scalarJson(value)}`,
  name: '',
  order: '',
  keys: [['', value]],
});

/** Creates the path element of an element of a list, by index. */
export const indexElement = (index: number): PathElement => ({
  rank: 3,
  text: `i:${index}`,
  name: '',
  order: '',
  keys: [['', index]],
});

const compareKeys = (a: readonly KeyField[], b: readonly KeyField[]): number => {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareTexts(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
};

/** Compares path elements as the real server does. The order of members in `fieldsV1` follows from this comparison. */
export const compareElements = (a: PathElement, b: PathElement): number => {
  if (a.text === b.text) return 0;
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.rank === 0) return a.order < b.order ? -1 : 1;
  return compareKeys(a.keys, b.keys);
};

const scalarText = (value: unknown, numberText: NumberText): string => {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? numberText(value) : goJson(value);
};

/**
 * Formats a number in a key. In conflicts, 1000000 has the form `1e+06`, because Go decodes numbers of managed fields as floats.
 */
type NumberText = (value: number) => string;

/** Formats a path element for messages, such as `.spec` or `[name="web"]`. */
export const elementText = ({ rank, name, keys }: PathElement, numberText: NumberText): string => {
  if (rank === 0) return `.${name}`;
  const texts = keys.map(([key, value]) => `${key}${rank === 3 ? '' : '='}${scalarText(value, numberText)}`);
  return `[${texts.join(',')}]`;
};
