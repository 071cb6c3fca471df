import { describe, expect, it } from 'vitest';
import { ApiError, NotSentError } from '#lib/errors.ts';
import { WriteSlots } from '#lib/loop/flow/write-slots.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';
import { quotaExceeded, serverBusy, tooManyRequests } from '#test/unit/support/server-answers.ts';

interface UnderWay {
  readonly name: string;
  readonly accept: () => void;
  readonly refuse: (error: Error) => void;
}

/** Slots, and writes that the test ends. */
const slotsOf = (max: number, random = 0.5) => {
  const timers = new ManualTimers();
  const slots = new WriteSlots({ timers, random: () => random, max });
  const underWay: UnderWay[] = [];
  const failures: unknown[] = [];
  const write = (namespace: string, name = namespace): void => {
    const run = slots.run(namespace, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      underWay.push({ name, accept: resolve, refuse: reject });
      return promise;
    });
    run.catch((error: unknown) => failures.push(error));
  };
  const end = async (how: (one: UnderWay) => void, count = underWay.length): Promise<void> => {
    underWay.splice(0, count).forEach(how);
    await settle();
  };
  return { timers, slots, underWay, failures, write, end };
};

const accepted = (one: UnderWay): void => one.accept();
const refusedWith =
  (error: Error) =>
  (one: UnderWay): void =>
    one.refuse(error);

const times = (count: number, act: () => void): void => Array.from({ length: count }).forEach(act);

describe('WriteSlots', () => {
  it('run() has no more writes under way than there are slots, and begins the next when one ends', async () => {
    const { underWay, write, end } = slotsOf(4);
    times(10, () => write('a'));
    await settle();
    expect(underWay).toHaveLength(4);
    await end(accepted, 1);
    expect(underWay).toHaveLength(4);
    await end(accepted);
    await end(accepted);
    expect(underWay).toHaveLength(1);
  });

  it('run() lets namespaces take turns, and keeps the order within one', async () => {
    const { underWay, write, end } = slotsOf(1);
    for (const name of ['a1', 'a2', 'a3']) write('a', name);
    for (const name of ['b1', 'b2']) write('b', name);
    const order: string[] = [];
    while (underWay.length > 0) {
      order.push(...underWay.map(({ name }) => name));
      await end(accepted);
    }
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('run() halves the writes under way when the API server is too busy, once for those that were sent together', async () => {
    const { slots, underWay, write, end } = slotsOf(16);
    times(40, () => write('a'));
    await settle();
    await end(refusedWith(serverBusy(1)));
    expect([slots.limit, underWay.length]).toEqual([8, 8]);
    await end(refusedWith(serverBusy(1)));
    expect([slots.limit, underWay.length]).toEqual([4, 4]);
  });

  it('run() has one more write under way after each round that is accepted', async () => {
    const { slots, write, end } = slotsOf(16);
    times(300, () => write('a'));
    await settle();
    await end(refusedWith(serverBusy(1)));
    await end(refusedWith(serverBusy(1)));
    const limits: number[] = [];
    for (let round = 0; round < 14; round += 1) {
      await end(accepted);
      limits.push(slots.limit);
    }
    expect(limits.slice(0, 3)).toEqual([4, 5, 6].map((limit) => expect.closeTo(limit, -0.5) as number));
    expect(limits.every((limit, index) => limit - (limits[index - 1] ?? 4) <= 1)).toBe(true);
    expect(limits.at(-1)).toBe(16);
  });

  it.each([
    { why: 'a quota refuses', error: quotaExceeded('a') },
    { why: 'one resource is answered 429', error: tooManyRequests(30) },
    {
      why: 'a webhook answers 429 in the words of the API server',
      error: new ApiError('create pods', {
        httpStatus: 429,
        reason: 'TooManyRequests',
        message: 'admission webhook "a.b" denied the request: Too many requests, please try again later.',
      }),
    },
  ])('run() slows down nothing else when $why', async ({ error }) => {
    const { slots, underWay, write, end } = slotsOf(16);
    times(40, () => write('a'));
    await settle();
    await end(refusedWith(error));
    expect([slots.limit, underWay.length]).toEqual([16, 16]);
  });

  it('run() writes nothing for as long as the server asks, and a random time more, when one write at a time is too much', async () => {
    const { slots, timers, underWay, write, end } = slotsOf(2);
    times(10, () => write('a'));
    await settle();
    await end(refusedWith(serverBusy(8)));
    expect(underWay).toHaveLength(1);
    await end(refusedWith(serverBusy(8)));
    await timers.advance(11_999);
    expect(underWay).toHaveLength(0);
    await timers.advance(2);
    expect([underWay.length, slots.limit]).toEqual([1, 1]);
    await end(accepted);
    expect(underWay).toHaveLength(2);
  });

  it('run() pauses ever longer while one write at a time is too much, half a minute at most', async () => {
    const { timers, underWay, write, end } = slotsOf(1, 0);
    times(30, () => write('a'));
    await settle();
    const sentAt: number[] = [];
    for (let tries = 0; tries < 8; tries += 1) {
      sentAt.push(timers.elapsed());
      await end(refusedWith(serverBusy(1)));
      while (underWay.length === 0) await timers.advance(100);
    }
    const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    expect(gaps).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  });

  it('close() refuses what waits with NotSentError, and lets end what is under way', async () => {
    const { slots, underWay, failures, write, end } = slotsOf(1);
    times(3, () => write('a'));
    await settle();
    slots.close();
    await settle();
    expect(failures).toEqual([expect.any(NotSentError), expect.any(NotSentError)]);
    await end(accepted);
    expect([underWay.length, failures.length]).toEqual([0, 2]);
  });
});
