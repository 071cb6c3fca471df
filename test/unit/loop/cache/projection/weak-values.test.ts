import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { WeakValues } from '#lib/loop/cache/projection/weak-values.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Collects garbage until the callbacks about it have run, at most for some turns of the event loop. */
const collectUntil = async (isDone: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 100 && !isDone(); turn += 1) {
    await setImmediate();
    collectGarbage();
  }
};

describe('WeakValues', () => {
  it('WeakValues makes a value once while it is in use', () => {
    const values = new WeakValues<object>();
    const value = values.getOrMake('a', () => ({}));
    expect(values.getOrMake('a', () => ({}))).toBe(value);
    expect(values.getOrMake('b', () => ({}))).not.toBe(value);
  });

  it('WeakValues has no entries of collected values', async () => {
    const values = new WeakValues<object>();
    const kept = values.getOrMake('kept', () => ({}));
    for (let index = 0; index < 1000; index += 1) values.getOrMake(`order ${index}`, () => ({}));
    await collectUntil(() => values.size === 1);
    expect(values.size).toBe(1);
    expect(values.getOrMake('kept', () => ({}))).toBe(kept);
  });
});
