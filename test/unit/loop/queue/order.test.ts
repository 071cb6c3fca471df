import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { type Taken, WorkQueue } from '#lib/loop/queue/queue.ts';
import { PATIENCE } from '#lib/loop/queue/ready-keys.ts';
import { type Priority, priorities } from '#lib/loop/queue/urgency.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const queueOf = (timers = new ManualTimers()): WorkQueue =>
  new WorkQueue({ timers, random: () => 0, onReady: () => undefined });

/** Takes a key and returns it, as a controller with one pass at a time does. */
const turn = (queue: WorkQueue): Taken | undefined => {
  const taken = queue.take();
  if (taken) queue.done(taken.key);
  return taken;
};

const drain = (queue: WorkQueue): Key[] => {
  const keys: Key[] = [];
  for (let taken = turn(queue); taken; taken = turn(queue)) keys.push(taken.key);
  return keys;
};

const key = (namespace: string, index: number): Key => keyOf(namespace, `${index}`);

/** Number of keys before the expected one. */
const turnsUntil = (queue: WorkQueue, wanted: Key): number => {
  let turns = 0;
  while (turn(queue)?.key !== wanted) turns += 1;
  return turns;
};

describe('WorkQueue', () => {
  it('take() hands out what is more urgent first, whatever came first', () => {
    const queue = queueOf();
    priorities.toReversed().forEach((priority) => queue.add(keyOf('n', priority), priority));
    expect(drain(queue)).toEqual(priorities.map((priority) => keyOf('n', priority)));
  });

  it.each([
    { first: 'resync', second: 'user', reason: 'it became more urgent', position: 0 },
    { first: 'user', second: 'resync', reason: 'it stays as urgent as it was', position: 0 },
    { first: 'resync', second: 'resync', reason: 'nothing changed', position: 1 },
  ] as const)('add() puts a key that is ready at position $position when $reason', ({ first, second, position }) => {
    const queue = queueOf();
    const it = keyOf('n', 'it');
    queue.add(keyOf('n', 'other'), 'child');
    queue.add(it, first);
    queue.add(it, second);
    expect(drain(queue).indexOf(it)).toBe(position);
    expect(queue.depth).toBe(0);
  });

  it('done() makes a key as urgent as the most urgent of what was added meanwhile', () => {
    const queue = queueOf();
    const it = keyOf('n', 'it');
    queue.add(it);
    queue.take();
    queue.add(it, 'resync');
    queue.add(it, 'user');
    queue.add(it, 'child');
    queue.done(it);
    expect(queue.take()).toEqual({ key: it, priority: 'user' });
  });

  it('take() lets namespaces take turns: 10,000 keys of one do not hold up those of another', () => {
    const queue = queueOf();
    for (let index = 0; index < 10_000; index += 1) queue.add(key('crowded', index), 'user');
    for (let index = 0; index < 3; index += 1) queue.add(key('small', index), 'user');
    const taken = Array.from({ length: 6 }, () => queue.take()?.key);
    expect(taken).toEqual([
      key('crowded', 0),
      key('small', 0),
      key('crowded', 1),
      key('small', 1),
      key('crowded', 2),
      key('small', 2),
    ]);
  });

  it('take() hands out the n-th key of a namespace after n rounds at most, whatever the others have', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 20 }), fc.infiniteStream(fc.nat()), (others, own, draw) => {
        const queue = queueOf();
        const keys = others.flatMap((size, index) => Array.from({ length: size }, (_, i) => key(`other-${index}`, i)));
        const at = (draw.next().value ?? 0) % (keys.length + 1);
        const mine = Array.from({ length: own }, (_, index) => key('mine', index));
        for (const it of [...keys.slice(0, at), ...mine, ...keys.slice(at)]) queue.add(it);
        const order = drain(queue);
        expect(order).toHaveLength(keys.length + own);
        mine.forEach((it, index) => {
          expect(order.indexOf(it)).toBeLessThan((index + 1) * (others.length + 1));
        });
      }),
    );
  });

  it('take() starves no namespace while others are added for ever', () => {
    const queue = queueOf();
    const mine = key('mine', 0);
    const busy = Array.from({ length: 5 }, (_, index) => key('busy', index));
    for (const it of [...busy, mine]) queue.add(it);
    let turns = 0;
    for (let taken = turn(queue); taken && taken.key !== mine; taken = turn(queue)) {
      queue.add(taken.key);
      turns += 1;
    }
    expect(turns).toBe(1);
  });

  it('take() starves no priority while more urgent keys are added for ever', () => {
    const urgent = fc.constantFrom<Priority>('deletion', 'user', 'child', 'unseen');
    fc.assert(
      fc.property(fc.array(urgent, { minLength: 60, maxLength: 60 }), fc.nat({ max: 30 }), (additions, behind) => {
        const queue = queueOf();
        const mine = key('mine', 0);
        for (let index = 0; index < behind; index += 1) queue.add(key('behind', index), 'resync');
        queue.add(mine, 'resync');
        let turns = 0;
        for (; ; turns += 1) {
          queue.add(key(`busy-${turns % 3}`, turns), additions[turns % additions.length]);
          if (turn(queue)?.key === mine) break;
        }
        // One round of two namespaces, and before each of the two the patience of the queue, and lanes that have waited
        // too long.
        expect(turns).toBeLessThanOrEqual(2 * (PATIENCE + priorities.length - 1));
      }),
    );
  });

  it('take() hands out what is less urgent only when its patience is over', () => {
    const queue = queueOf();
    for (let index = 0; index < 100; index += 1) queue.add(key('n', index), 'user');
    queue.add(keyOf('n', 'late'), 'resync');
    expect(turnsUntil(queue, keyOf('n', 'late'))).toBe(PATIENCE);
  });

  it('addAfter() gives a key the most urgent priority of its delays', () => {
    const timers = new ManualTimers();
    const queue = queueOf(timers);
    queue.addAfter(key('n', 0), 100, 'resync');
    queue.addAfter(key('n', 0), 200, 'user');
    timers.elapse(100);
    expect(queue.take()).toEqual({ key: key('n', 0), priority: 'user' });
  });

  it('WorkQueue hands out each of 100,000 keys once, most urgent first, with one timer for their delays', () => {
    const count = 100_000;
    const timers = new ManualTimers();
    const queue = queueOf(timers);
    const keys = Array.from({ length: count }, (_, index) => key(`n-${index % 100}`, index));
    keys.forEach((it, index) => queue.addAfter(it, count - index));
    expect(timers.pending).toHaveLength(1);
    keys.forEach((it, index) => queue.add(it, priorities[index % priorities.length]));
    const order = drain(queue);
    expect(new Set(order).size).toBe(count);
    expect(order).toHaveLength(count);
    expect(timers.pending).toEqual([]);
  });
});
