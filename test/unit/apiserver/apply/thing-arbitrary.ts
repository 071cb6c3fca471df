import * as fc from 'fast-check';

const text = fc.constantFrom('1', '2');
const texts = fc.dictionary(fc.constantFrom('a', 'b', 'c'), text, { maxKeys: 3 });
const optional = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
const keyed = <T extends object>(
  names: readonly string[],
  key: string,
  rest: fc.Arbitrary<T>,
): fc.Arbitrary<object[]> =>
  fc
    .uniqueArray(fc.constantFrom(...names), { maxLength: names.length })
    .chain((found) => fc.tuple(...found.map((name) => rest.map((more) => ({ [key]: name, ...more })))));

/** Specs of things: every field may be missing, lists come in any order. */
export const specs = optional({
  replicas: fc.constantFrom(1, 2),
  text,
  port: fc.constantFrom(80, 'x'),
  tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')),
  plain: fc.array(text, { maxLength: 2 }),
  items: keyed(
    ['i', 'j', 'k'],
    'name',
    optional({ value: text, labels: texts, env: keyed(['x', 'y'], 'key', optional({ value: text })) }),
  ),
  granular: texts,
  nested: fc.dictionary(fc.constantFrom('a', 'b'), optional({ a: text, b: text }), { maxKeys: 2 }),
  atomicMap: texts,
  atomicStruct: optional({ a: text, b: text }),
  struct: optional({ a: text, inner: optional({ c: text }) }),
  free: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(text, texts, fc.array(text)), { maxKeys: 2 }),
});
