import { describe, expect, it } from 'vitest';
import { keyOf } from '#lib/loop/context/key.ts';
import { Slots } from '#lib/loop/effects/slots.ts';
import { settle } from '#test/unit/support/manual-timers.ts';

const never = new AbortController().signal;

describe('Slots', () => {
  it('enter() lets in the first of a namespace whatever others have, and no more than its number', async () => {
    const slots = new Slots({ perNamespace: 2, total: 4 });
    const held: string[] = [];
    for (const namespace of ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'd'])
      void slots.enter(keyOf(namespace, 'x'), never).then(() => held.push(namespace));
    await settle();
    expect(held).toEqual(['a', 'a', 'b', 'b', 'c', 'd']);
  });

  it('enter() lets namespaces take turns while the total is used up', async () => {
    const slots = new Slots({ perNamespace: 3, total: 4 });
    const order: string[] = [];
    const leaves: (() => void)[] = [];
    const visit = async (namespace: string): Promise<void> => {
      const leave = await slots.enter(keyOf(namespace, 'x'), never);
      order.push(namespace);
      if (leave) leaves.push(leave);
    };
    for (const namespace of ['crowded', 'crowded', 'small', 'small']) void visit(namespace);
    await settle();
    const first = leaves.splice(0);
    for (const namespace of ['crowded', 'crowded', 'crowded', 'small', 'small']) void visit(namespace);
    await settle();
    expect(order.splice(0)).toHaveLength(4);
    for (const leave of first) leave();
    await settle();
    expect(order).toEqual(['crowded', 'small', 'crowded', 'small']);
    for (const leave of leaves) leave();
    await settle();
    expect(order.slice(4)).toEqual(['crowded']);
  });

  it('enter() takes no slot when it is aborted while it waits', async () => {
    const slots = new Slots({ perNamespace: 1, total: 1 });
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
