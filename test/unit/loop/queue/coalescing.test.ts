import { describe, expect, it } from 'vitest';
import { keyOf } from '#lib/loop/context/key.ts';
import { CHILDREN_WITHOUT_QUIET, Coalescing, quietMsFor } from '#lib/loop/queue/coalescing.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const key = keyOf('default', 'large');
const other = keyOf('default', 'other');

const coalescing = () => {
  const timers = new ManualTimers();
  const added: string[] = [];
  const subject = new Coalescing({
    timers,
    add: (it) => added.push(`${it} now`),
    addAfter: (it, delayMs) => added.push(`${it} in ${delayMs}`),
  });
  const pass = (quietMs: number): void => {
    subject.began(key);
    subject.ended(key, quietMs);
  };
  return { timers, added, subject, pass };
};

describe('Coalescing', () => {
  it.each([
    { children: 0, quietMs: 0 },
    { children: CHILDREN_WITHOUT_QUIET - 1, quietMs: 0 },
    { children: CHILDREN_WITHOUT_QUIET, quietMs: 2 },
    { children: 10_000, quietMs: 200 },
    { children: 1_000_000, quietMs: 1000 },
  ])('quietMsFor() is $quietMs ms when there are $children children', ({ children, quietMs }) => {
    expect(quietMsFor(children)).toBe(quietMs);
  });

  it('event() is passed on at once when no pass was lately', () => {
    const { added, subject } = coalescing();
    subject.event(key);
    expect(added).toEqual(['default/large now']);
  });

  it('event() waits for the rest of the quiet time after a pass, and no longer', () => {
    const { timers, added, subject, pass } = coalescing();
    pass(200);
    timers.elapse(50);
    subject.event(key);
    subject.event(other);
    timers.elapse(150);
    subject.event(key);
    expect(added).toEqual(['default/large in 150', 'default/other now', 'default/large now']);
  });

  it.each([
    { quietMs: 200, expected: 'default/large in 200' },
    { quietMs: 0, expected: 'default/large now' },
  ])('event() during a pass is passed on once, $expected, when the quiet time is $quietMs ms', (given) => {
    const { added, subject } = coalescing();
    subject.began(key);
    subject.event(key);
    subject.event(key);
    expect(added).toEqual([]);
    subject.ended(key, given.quietMs);
    expect(added).toEqual([given.expected]);
  });

  it('event() with a delay waits for it, but not longer than for an event of the same pass without a delay', () => {
    const { added, subject, pass } = coalescing();
    subject.event(key, 250);
    subject.began(key);
    subject.event(key, 250);
    subject.ended(key, 0);
    subject.began(key);
    subject.event(key, 250);
    subject.event(key);
    subject.ended(key, 0);
    pass(400);
    subject.event(key, 250);
    expect(added).toEqual([
      'default/large in 250',
      'default/large in 250',
      'default/large now',
      'default/large in 400',
    ]);
  });

  it('began() ends the quiet time: what the pass sees is not seen again', () => {
    const { added, subject, pass } = coalescing();
    pass(200);
    pass(0);
    subject.event(key);
    expect(added).toEqual(['default/large now']);
  });

  it('inspect() shows what is waited for, and nothing once it is over', () => {
    const { timers, subject, pass } = coalescing();
    pass(200);
    subject.began(other);
    subject.event(other);
    expect(subject.inspect()).toEqual({ changed: [other], quietForMs: { [key]: 200 } });
    subject.ended(other, 0);
    timers.elapse(200);
    expect(subject.inspect()).toEqual({ changed: [], quietForMs: {} });
  });
});
