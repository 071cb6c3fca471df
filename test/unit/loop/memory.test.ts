import { describe, expect, it } from 'vitest';
import { keyOf } from '#lib/loop/context/key.ts';
import { inspectMemory, isoOf, type Memories, slot, withTimes } from '#lib/loop/context/memory.ts';

const key = keyOf('default', 'web');
const place = { key, uid: 'a' };
const remembering = (): { readonly memory: Memories } => ({ memory: new Map() });

const tries = slot('test-tries', { empty: 0, inspect: (count) => (count > 1 ? count : undefined) });
const until = slot<number | undefined>('test-until', { empty: undefined, inspect: isoOf });
const secret = slot('test-secret', { empty: '' });

describe('slot()', () => {
  it('slot() gives its empty value for what is not remembered, and creates no memory for it', () => {
    const context = remembering();
    expect([tries.get(context, place), until.get(context, place)]).toEqual([0, undefined]);
    expect(context.memory.size).toBe(0);
  });

  it('slot() keeps apart what mechanisms remember, and what is remembered of resources', () => {
    const context = remembering();
    const other = { key: keyOf('default', 'api'), uid: 'b' };
    tries.set(context, place, 3);
    secret.set(context, other, 'x');
    expect([tries.get(context, place), tries.get(context, other)]).toEqual([3, 0]);
    expect([secret.get(context, place), secret.get(context, other)]).toEqual(['', 'x']);
  });

  it('slot() forgets what all mechanisms remember once a later resource of the same name is remembered', () => {
    const context = remembering();
    const later = { key, uid: 'later' };
    tries.set(context, place, 3);
    expect(tries.get(context, later)).toBe(0);
    secret.set(context, later, 'x');
    expect([tries.get(context, later), tries.get(context, place), secret.get(context, later)]).toEqual([0, 0, 'x']);
  });

  it('slot() keeps nothing of a resource when each of its values is empty again', () => {
    const context = remembering();
    const names = slot<readonly string[]>('test-names', { empty: [] });
    const counts = slot<ReadonlyMap<string, number>>('test-counts', { empty: new Map() });
    tries.set(context, place, 3);
    names.set(context, place, ['a']);
    counts.set(context, place, new Map([['a', 1]]));
    tries.set(context, place, 0);
    names.set(context, place, []);
    expect(context.memory.size).toBe(1);
    counts.set(context, place, new Map());
    expect(context.memory.size).toBe(0);
  });

  it('slot() gives its empty value again for a value that was set to undefined', () => {
    const context = remembering();
    until.set(context, place, 1);
    until.set(context, place, undefined);
    expect(until.get(context, place)).toBeUndefined();
  });
});

describe('inspectMemory()', () => {
  it('inspectMemory() shows what slots show of their values, by key, and hides the others', () => {
    const context = remembering();
    tries.set(context, place, 1);
    until.set(context, place, Date.UTC(2026, 0, 1));
    secret.set(context, place, 'hidden');
    expect(inspectMemory(context)).toEqual({
      'default/web': { uid: 'a', 'test-until': '2026-01-01T00:00:00.000000Z' },
    });
    tries.set(context, place, 2);
    expect(inspectMemory(context)['default/web']).toMatchObject({ 'test-tries': 2 });
  });

  it('withTimes() turns the named moments into times of day, and leaves the rest', () => {
    const shown = withTimes({ notBefore: Date.UTC(2026, 0, 1), rounds: 2 }, 'notBefore');
    expect(shown).toEqual({ notBefore: '2026-01-01T00:00:00.000000Z', rounds: 2 });
  });
});
