import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { NamespacedMap } from '#lib/loop/cache/namespaced-map.ts';
import { runs } from '#test/properties.ts';

const step = fc.record({
  namespace: fc.constantFrom(undefined, '', 'red', 'blue'),
  name: fc.constantFrom('x', 'y'),
  value: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
});

it('NamespacedMap has the size and the values of a map by namespace and name, after any sets and deletes', () => {
  const property = fc.property(fc.array(step), (steps) => {
    const [map, plain] = [new NamespacedMap<string>(), new Map<string, string>()];
    for (const { namespace, name, value } of steps) {
      const key = `${namespace ?? ''}/${name}`;
      if (value === undefined) {
        map.delete(namespace, name);
        plain.delete(key);
      } else {
        map.set(namespace, name, value);
        plain.set(key, value);
      }
      expect(map.get(namespace, name)).toBe(plain.get(key));
    }
    expect(map.size).toBe(plain.size);
    expect([...map].toSorted()).toEqual([...plain.values()].toSorted());
  });
  fc.assert(property, { numRuns: runs(100) });
});
