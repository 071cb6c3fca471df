import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { type Selection, SelectionIndex } from '#lib/loop/cache/selection-index.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { runs } from '#test/properties.ts';

const objectOf = (name: string, namespace: string, labels: Readonly<Record<string, string>>): CachedObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, uid: name, resourceVersion: '1', labels },
});

/** An index as in a cache. */
class Indexed {
  readonly all = new Map<Key, CachedObject>();
  readonly index = new SelectionIndex(() => true);

  put(object: CachedObject): void {
    const key = keyOf(object.metadata.namespace, object.metadata.name);
    this.remove(key);
    this.all.set(key, object);
    this.index.put(object);
  }

  remove(key: Key): void {
    const held = this.all.get(key);
    if (held) this.index.remove(held);
    this.all.delete(key);
  }
}

/** The result of a search through all objects. */
const foundByLooking = ({ all }: Indexed, { namespace, labels }: Selection): CachedObject[] =>
  [...all.values()].filter(
    ({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) &&
      Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
  );

const names = (objects: readonly CachedObject[]): string[] =>
  objects.map(({ metadata }) => keyOf(metadata.namespace, metadata.name)).toSorted();

const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', '1', '2'), { maxKeys: 3 });
const namespace = fc.constantFrom('red', 'blue');
const name = fc.constantFrom('x', 'y', 'z');
const change = fc.oneof(
  fc.record({ name, namespace, labels }),
  fc.record({ name, namespace, labels: fc.constant(undefined) }),
  fc.record({ asks: labels, where: fc.option(namespace, { nil: undefined }) }),
);

describe('SelectionIndex.select()', () => {
  it('select() gives what a look at all objects would, whatever was put, replaced, removed and asked before', () => {
    const property = fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const indexed = new Indexed();
      const differences: (readonly [string[], string[]])[] = [];
      for (const step of changes) {
        if ('asks' in step) {
          const selection = { namespace: step.where, labels: step.asks };
          differences.push([
            names(indexed.index.select(selection, [...indexed.all.values()])),
            names(foundByLooking(indexed, selection)),
          ]);
        } else if (step.labels === undefined) indexed.remove(keyOf(step.namespace, step.name));
        else indexed.put(objectOf(step.name, step.namespace, step.labels));
      }
      for (const [found, expected] of differences) expect(found).toEqual(expected);
    });
    fc.assert(property, { numRuns: runs(300) });
  });

  it('select() looks at few more objects than it gives, however many there are, with many labels in turn', () => {
    const indexed = new Indexed();
    let looks = 0;
    for (let number = 0; number < 5000; number += 1) {
      const object = objectOf(`pod-${number}`, 'red', { app: `set-${number % 500}`, tier: 'web' });
      const { metadata } = object;
      const counted = {
        ...object,
        get metadata() {
          looks += 1;
          return metadata;
        },
      };
      indexed.put(counted);
    }
    const ask = (app: string) =>
      indexed.index.select({ namespace: 'red', labels: { tier: 'web', app } }, [...indexed.all.values()]);
    ask('set-0');
    looks = 0;
    for (let set = 0; set < 100; set += 1) expect(ask(`set-${set}`)).toHaveLength(10);
    expect(looks).toBeLessThanOrEqual(100 * 10 * 4);
  });
});
