import { describe, expect, it } from 'vitest';
import { keyOf } from '#lib/loop/context/key.ts';
import type { Remembering } from '#lib/loop/context/memory.ts';
import { pinsSlot, rememberPin, rememberPins } from '#lib/loop/pass/execute/pins.ts';
import type { Pin } from '#lib/plan/fields/pin.ts';

const place = { key: keyOf('default', 'web'), uid: 'u' };
const other = { key: keyOf('default', 'other'), uid: 'o' };

const pinned = (pins: Readonly<Record<string, Pin>> = {}): Remembering => {
  const memory: Remembering = { memory: new Map() };
  rememberPins(memory, place, new Map(Object.entries(pins)));
  return memory;
};

const shown = (memory: Remembering, of = place): object => Object.fromEntries(pinsSlot.get(memory, of));

describe('rememberPin()', () => {
  it('rememberPin() replaces the pin of the child, and keeps the pins of the others', () => {
    const memory = pinned({ a: { intent: 'one' }, b: { intent: 'two' } });
    rememberPin(memory, place, { uid: 'b', pin: { intent: 'three' } });
    rememberPin(memory, place, { uid: 'c', pin: { intent: 'four' } });
    expect(shown(memory)).toEqual({ a: { intent: 'one' }, b: { intent: 'three' }, c: { intent: 'four' } });
  });

  it('rememberPin() sets no pin for another resource when it sets the first one', () => {
    const memory = pinned();
    rememberPin(memory, place, { uid: 'a', pin: { intent: 'one' } });
    expect([shown(memory), shown(memory, other)]).toEqual([{ a: { intent: 'one' } }, {}]);
  });
});
