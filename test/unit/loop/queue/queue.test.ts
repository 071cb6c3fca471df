import { describe, expect, it, vi } from 'vitest';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { type QueueOptions, WorkQueue } from '#lib/loop/queue/queue.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const a = keyOf('default', 'a');
const b = keyOf('default', 'b');

const queueOn = (options: Partial<QueueOptions> = {}) => {
  const timers = new ManualTimers();
  let woken = 0;
  const queue = new WorkQueue({ timers, random: () => 0, onReady: () => (woken += 1), ...options });
  return { timers, queue, woken: () => woken };
};

const drain = (queue: WorkQueue): Key[] => {
  const keys: Key[] = [];
  for (let taken = queue.take(); taken; taken = queue.take()) keys.push(taken.key);
  return keys;
};

const delaysOf = (queue: WorkQueue): number[] =>
  Object.values(queue.inspect().delays)
    .map(({ afterMs }) => afterMs)
    .toSorted((x, y) => x - y);

describe('WorkQueue', () => {
  it('take() hands out keys in the order in which they became ready', () => {
    const { queue } = queueOn();
    const keys = ['c', 'a', 'b'].map((name) => keyOf('default', name));
    keys.forEach((key) => queue.add(key));
    expect(drain(queue)).toEqual(keys);
  });

  it('add() keeps the place of a key when it is ready already', () => {
    const { queue, woken } = queueOn();
    [a, b, a].forEach((key) => queue.add(key));
    expect(queue.depth).toBe(2);
    expect(woken()).toBe(2);
    expect(drain(queue)).toEqual([a, b]);
  });

  it('take() is undefined when no key is ready', () => {
    expect(queueOn().queue.take()).toBeUndefined();
  });

  it('add() makes a key ready after done() when it is handed out', () => {
    const { queue, woken } = queueOn();
    queue.add(a);
    queue.take();
    queue.add(a);
    queue.add(a);
    expect(queue.take()).toBeUndefined();
    expect(woken()).toBe(1);
    queue.done(a);
    expect(woken()).toBe(2);
    expect(drain(queue)).toEqual([a]);
  });

  it('done() makes nothing ready when nothing was added meanwhile', () => {
    const { queue } = queueOn();
    queue.add(a);
    queue.take();
    queue.done(a);
    expect({ depth: queue.depth, active: queue.active }).toEqual({ depth: 0, active: 0 });
  });

  it('addAfter() makes a key ready when the delay is over, not before', () => {
    const { queue, timers } = queueOn();
    queue.addAfter(a, 1000);
    timers.elapse(999);
    expect(queue.depth).toBe(0);
    timers.elapse(1);
    expect(drain(queue)).toEqual([a]);
  });

  it.each([
    { delays: [1000, 300], readyMs: 300, reason: 'the second is earlier' },
    { delays: [300, 1000], readyMs: 300, reason: 'the first is earlier' },
    { delays: [-5], readyMs: 0, reason: 'a negative delay counts as none' },
  ])(
    'addAfter() makes a key ready once, after $readyMs ms, when the delays are $delays ($reason)',
    ({ delays, readyMs }) => {
      const { queue, timers, woken } = queueOn();
      for (const delayMs of delays) queue.addAfter(a, delayMs);
      expect(timers.pending).toEqual([readyMs]);
      timers.elapse(10_000);
      expect(woken()).toBe(1);
    },
  );

  it('addAfter() leaves the delays of other keys alone', () => {
    const { queue } = queueOn();
    queue.addAfter(a, 1000);
    queue.addAfter(b, 300);
    expect(delaysOf(queue)).toEqual([300, 1000]);
  });

  it('take() ends the delay of a key, as the pass that follows decides anew', () => {
    const { queue, timers } = queueOn();
    queue.addAfter(a, 1000);
    queue.add(a);
    queue.take();
    expect(timers.pending).toEqual([]);
  });

  it('addAfter() makes a key ready after done() when its delay ends while it is handed out', () => {
    const { queue, timers } = queueOn();
    queue.add(a);
    queue.take();
    queue.addAfter(a, 10);
    timers.elapse(10);
    expect(queue.take()).toBeUndefined();
    queue.done(a);
    expect(drain(queue)).toEqual([a]);
  });

  it('addAfter() sets one timer for all delays, for the first of them', () => {
    const { queue, timers } = queueOn();
    [500, 200, 900].forEach((ms, index) => queue.addAfter(keyOf('default', `${index}`), ms));
    expect(timers.pending).toEqual([200]);
    timers.elapse(200);
    expect(timers.pending).toEqual([300]);
    queue.add(keyOf('default', '0'));
    drain(queue);
    expect(timers.pending).toEqual([700]);
  });

  it('addAfter() keeps its moment when the wall clock is set', () => {
    const { queue, timers } = queueOn();
    queue.addAfter(a, 1000);
    timers.stepWallClock(-3_600_000);
    queue.addAfter(a, 2000);
    timers.elapse(1000);
    expect(drain(queue)).toEqual([a]);
  });

  it('addAfter() makes a key ready after 60 days, not at once, although setTimeout() cannot wait so long', () => {
    vi.useFakeTimers();
    try {
      const { queue, woken } = queueOn({ timers: systemTimers });
      const days = 24 * 3_600_000;
      queue.addAfter(a, 60 * days);
      vi.advanceTimersByTime(60 * days - 1);
      expect(woken()).toBe(0);
      vi.advanceTimersByTime(1);
      expect(drain(queue)).toEqual([a]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('addFailed() waits twice as long after each failure, up to the cap', () => {
    const { queue, timers } = queueOn({ initialBackoffMs: 100, maxBackoffMs: 1000 });
    const delays = Array.from({ length: 6 }, () => {
      queue.addFailed(a);
      const [delayMs] = timers.pending;
      timers.elapse(1000);
      queue.take();
      queue.done(a);
      return delayMs;
    });
    expect(delays).toEqual([50, 100, 200, 400, 500, 500]);
  });

  it('addFailed() counts failures per key', () => {
    const { queue, timers } = queueOn({ initialBackoffMs: 100 });
    queue.addFailed(a);
    timers.elapse(50);
    queue.addFailed(a);
    queue.addFailed(b);
    expect(delaysOf(queue)).toEqual([50, 100]);
  });

  it('addFailed() starts anew when the failures were forgotten', () => {
    const { queue, timers } = queueOn({ initialBackoffMs: 100 });
    queue.addFailed(a);
    timers.elapse(50);
    queue.forget(a);
    queue.addFailed(a);
    expect(timers.pending).toEqual([50]);
  });

  it.each([
    { atLeastMs: 5000, waitedMs: 5000, reason: 'the API server asked for more' },
    { atLeastMs: 10, waitedMs: 50, reason: 'the back-off is longer than what was asked for' },
  ])('addFailed() waits $waitedMs ms when $reason', ({ atLeastMs, waitedMs }) => {
    const { queue, timers } = queueOn({ initialBackoffMs: 100 });
    queue.addFailed(a, atLeastMs);
    expect(timers.pending).toEqual([waitedMs]);
  });

  it('close() drops what waits and takes nothing more', () => {
    const { queue, timers, woken } = queueOn();
    queue.add(a);
    queue.addAfter(b, 100);
    queue.close();
    queue.add(b);
    queue.addAfter(a, 10);
    queue.addFailed(a);
    timers.elapse(1_000_000);
    expect({ depth: queue.depth, pending: timers.pending, woken: woken() }).toEqual({
      depth: 0,
      pending: [],
      woken: 1,
    });
  });

  it('close() lets a key that is handed out be given back, and does not hand it out again', () => {
    const { queue } = queueOn();
    queue.add(a);
    queue.take();
    queue.add(a);
    queue.close();
    queue.done(a);
    expect({ depth: queue.depth, active: queue.active }).toEqual({ depth: 0, active: 0 });
  });
});
