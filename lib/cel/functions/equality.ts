import { type CelValue, isCelList, isCelMap, isCelType, isCelUint } from '@bufbuild/cel';
import { isReflectMessage } from '@bufbuild/protobuf/reflect';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { itemsOf, schemaOfList } from '../values.ts';

const numberOf = (value: CelValue): bigint | number | undefined => {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return isCelUint(value) ? value.value : undefined;
};

const sameNumber = (x: bigint | number, y: bigint | number): boolean => {
  if (typeof x === typeof y) return x === y;
  return Number.isInteger(Number(x)) && Number.isInteger(Number(y)) && BigInt(x) === BigInt(y);
};

const keyOf = (item: CelValue, schema: StructuralSchema): CelValue[] => {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return keys.map((key) => (isCelMap(item) ? (item.get(key) ?? null) : null));
};

/** Whether two list items are the same element: equal values in a set, equal keys in a map list. */
export const isSameElement = (a: CelValue, b: CelValue, schema: StructuralSchema): boolean => {
  if (schema['x-kubernetes-list-type'] === 'set') return isEqual(a, b);
  const keys = keyOf(b, schema);
  return keyOf(a, schema).every((key, index) => isEqual(key, keys[index] ?? null));
};

const unorderedEqual = (a: readonly CelValue[], b: readonly CelValue[]): boolean =>
  a.length === b.length && a.every((item) => b.some((other) => isEqual(item, other)));

const listsEqual = (a: CelValue, b: CelValue): boolean => {
  const [first, second] = [itemsOf(a), itemsOf(b)];
  if (schemaOfList(a) !== undefined) return unorderedEqual(first, second);
  return first.length === second.length && first.every((item, index) => isEqual(item, second[index] ?? null));
};

const mapsEqual = (a: CelValue, b: CelValue): boolean => {
  if (!isCelMap(a) || !isCelMap(b) || a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !isEqual(value, other)) return false;
  }
  return true;
};

const messageFields = (value: CelValue): unknown[] | undefined => {
  if (!isReflectMessage(value)) return undefined;
  const { seconds, nanos } = value.message as unknown as { readonly seconds: unknown; readonly nanos: unknown };
  return [value.desc.typeName, seconds, nanos];
};

const objectsEqual = (a: CelValue, b: CelValue): boolean => {
  const [first, second] = [messageFields(a), messageFields(b)];
  if (first !== undefined && second !== undefined) return first.every((part, index) => part === second[index]);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return isCelType(a) && isCelType(b) && a.name === b.name;
};

/**
 * Whether two values are equal. Numbers of different types are compared by value. If `a` is a set or map list of an object, the
 * order of its items does not matter.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/common/values.go
 */
export const isEqual = (a: CelValue, b: CelValue): boolean => {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return sameNumber(x, y);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (isCelList(a)) return isCelList(b) && listsEqual(a, b);
  if (isCelMap(a)) return mapsEqual(a, b);
  return a === b || objectsEqual(a, b);
};
