import {
  type CelFunc,
  CelScalar,
  type CelValue,
  celFunc,
  celList,
  celMethod,
  isCelUint,
  listType,
} from '@bufbuild/cel';
import { isReflectMessage } from '@bufbuild/protobuf/reflect';
import { itemsOf, schemaOfList } from '../values.ts';
import { isEqual, isSameElement } from './equality.ts';

const { DYN, INT, BOOL, STRING } = CelScalar;
const LIST = listType(DYN);

type Key = readonly (bigint | number | string | boolean)[];

const keyOf = (value: CelValue): Key => {
  if (isReflectMessage(value)) {
    const { seconds, nanos } = value.message as unknown as { readonly seconds: bigint; readonly nanos: number };
    return [seconds, nanos];
  }
  if (value instanceof Uint8Array) return [...value];
  if (isCelUint(value)) return [value.value];
  return typeof value === 'object' ? [] : [value];
};

const compare = (a: CelValue, b: CelValue): number => {
  const [x, y] = [keyOf(a), keyOf(b)];
  for (const [index, part] of x.entries()) {
    const other = y[index];
    if (other === undefined || part > other) return 1;
    if (part < other) return -1;
  }
  return x.length - y.length;
};

const isSorted = (items: readonly CelValue[]): boolean =>
  items.every((item, index) => index === 0 || compare(items[index - 1] ?? null, item) <= 0);

const extreme =
  (name: string, sign: number) =>
  (items: readonly CelValue[]): CelValue => {
    const [first, ...rest] = items;
    if (first === undefined) throw new Error(`${name} called on empty list`);
    return rest.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best), first);
  };

const MAX_INT = 2n ** 63n - 1n;

const sum = (items: readonly CelValue[]): CelValue => {
  const numbers = items.flatMap((item) => (typeof item === 'bigint' || typeof item === 'number' ? [item] : []));
  if (numbers.length < items.length) throw new Error('sums of other values than int and double are not implemented');
  if (numbers.every((item) => typeof item === 'bigint')) {
    const total = numbers.reduce((joint, item) => joint + item, 0n);
    if (total > MAX_INT || total < -MAX_INT - 1n) throw new Error('integer overflow');
    return total;
  }
  return numbers.reduce<number>((joint, item) => joint + Number(item), 0);
};

const distinct = (items: readonly CelValue[]): CelValue[] =>
  items.filter((item, index) => !items.slice(0, index).some((other) => isEqual(other, item)));

const slice = (items: readonly CelValue[], from: bigint, to: bigint): CelValue[] => {
  if (from < 0n || to < 0n) throw new Error(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to) throw new Error('cannot slice, start index must be less than or equal to end index');
  if (to > BigInt(items.length)) throw new Error(`cannot slice(${from}, ${to}), list is length ${items.length}`);
  return items.slice(Number(from), Number(to));
};

const containsAll = (list: CelValue, part: CelValue): boolean =>
  itemsOf(part).every((item) => itemsOf(list).some((other) => isEqual(other, item)));

/**
 * Concatenates two lists. If the schema declares `a` as a set or map list, an item of `b` replaces the item of `a` that is the
 * same element ({@link isSameElement}), and the other items of `b` are appended.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/common/values.go
 */
const add = (a: CelValue, b: CelValue): CelValue => {
  const schema = schemaOfList(a);
  const [first, second] = [itemsOf(a), itemsOf(b)];
  if (schema === undefined) return celList([...first, ...second]);
  const replaced = first.map((item) => second.findLast((other) => isSameElement(item, other, schema)) ?? item);
  const added = second.filter((item) => !first.some((other) => isSameElement(other, item, schema)));
  return celList([...replaced, ...added]);
};

const textsOf = (list: CelValue): string[] => itemsOf(list).filter((item) => typeof item === 'string');

const RANGE_LIMIT = 1_000_000n;

const range = (size: bigint): CelValue[] => {
  if (size > RANGE_LIMIT) throw new Error('operation cancelled: actual cost limit exceeded');
  return Array.from({ length: Math.max(0, Number(size)) }, (_, index) => BigInt(index));
};

const onItems = (name: string, result: typeof BOOL | typeof DYN, run: (items: CelValue[]) => CelValue): CelFunc =>
  celMethod(name, LIST, [], result, function () {
    return run(itemsOf(this));
  });

/**
 * The functions and operators of lists and sets, and the operators `==` and `!=` of all types.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/library/lists.go and github.com/google/cel-go v0.26.0 ext/{lists,sets}.go
 */
export const listFunctions: readonly CelFunc[] = [
  onItems('isSorted', BOOL, isSorted),
  onItems('min', DYN, extreme('min', -1)),
  onItems('max', DYN, extreme('max', 1)),
  onItems('sum', DYN, sum),
  onItems('distinct', DYN, (items) => celList(distinct(items))),
  onItems('reverse', DYN, (items) => celList(items.toReversed())),
  onItems('sort', DYN, (items) => celList(items.toSorted(compare))),
  onItems('flatten', DYN, (items) => celList(items.flatMap(itemsOf))),
  celMethod('slice', LIST, [INT, INT], LIST, function (from, to) {
    return celList(slice(itemsOf(this), from, to));
  }),
  celMethod('indexOf', LIST, [DYN], INT, function (item) {
    return BigInt(itemsOf(this).findIndex((other) => isEqual(other, item)));
  }),
  celMethod('lastIndexOf', LIST, [DYN], INT, function (item) {
    return BigInt(itemsOf(this).findLastIndex((other) => isEqual(other, item)));
  }),
  celMethod('join', LIST, [], STRING, function () {
    return textsOf(this).join('');
  }),
  celMethod('join', LIST, [STRING], STRING, function (separator) {
    return textsOf(this).join(separator);
  }),
  celFunc('lists.range', [INT], LIST, (size) => celList(range(size))),
  celFunc('sets.contains', [LIST, LIST], BOOL, containsAll),
  celFunc('sets.equivalent', [LIST, LIST], BOOL, (a, b) => containsAll(a, b) && containsAll(b, a)),
  celFunc('sets.intersects', [LIST, LIST], BOOL, (a, b) =>
    itemsOf(a).some((item) => itemsOf(b).some((other) => isEqual(item, other))),
  ),
  celFunc('_+_', [LIST, LIST], LIST, (a, b) => add(a, b) as typeof a),
  celFunc('_==_', [DYN, DYN], BOOL, isEqual),
  celFunc('_!=_', [DYN, DYN], BOOL, (a, b) => !isEqual(a, b)),
  celFunc('@in', [DYN, LIST], BOOL, (item, list) => itemsOf(list).some((other) => isEqual(other, item))),
];
