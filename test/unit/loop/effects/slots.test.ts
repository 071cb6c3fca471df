import { describe, expect, it } from 'vitest';
import { Slots } from '#lib/loop/effects/slots.ts';
import { keyOf } from '#lib/loop/key.ts';
import { settle } from '#test/unit/support/manual-timers.ts';

const never = new AbortController().signal;

describe('Slots', () => {
  it('enter() lets namespaces take turns while all slots are taken', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    const visit = async (namespace: string): Promise<void> => {
      const leave = await slots.enter(keyOf(namespace, 'a'), never);
      order.push(namespace);
      leave?.();
    };
    const first = await slots.enter(keyOf('first', 'a'), never);
    const visits = ['crowded', 'crowded', 'crowded', 'small'].map(async (namespace) => visit(namespace));
    await settle();
    expect(order).toEqual([]);
    first?.();
    await Promise.all(visits);
    expect(order).toEqual(['crowded', 'small', 'crowded', 'crowded']);
  });

  it('enter() takes no slot when it is aborted while it waits', async () => {
    const slots = new Slots(1);
    const first = await slots.enter(keyOf('n', 'a'), never);
    const gone = new AbortController();
    const second = slots.enter(keyOf('n', 'b'), gone.signal);
    const third = slots.enter(keyOf('n', 'c'), never);
    gone.abort();
    first?.();
    expect(await second).toBeUndefined();
    expect(await third).toBeTypeOf('function');
    expect(await slots.enter(keyOf('n', 'd'), gone.signal)).toBeUndefined();
  });
});
