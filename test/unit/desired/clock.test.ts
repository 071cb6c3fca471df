import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { after, instantOf, microsOf, passClock, secondsBetween } from '#lib/desired/clock.ts';
import { InvariantError } from '#lib/errors.ts';

const at = Date.parse('2026-11-21T09:30:00Z') * 1000;

describe('microsOf()', () => {
  it.each([
    { text: '2026-11-21T09:30:00Z', micros: at, reason: 'no fraction: metav1.Time' },
    { text: '2026-11-21T09:30:00.000001Z', micros: at + 1, reason: 'microseconds: metav1.MicroTime' },
    { text: '2026-11-21T09:30:00.5Z', micros: at + 500_000, reason: 'a short fraction counts from the left' },
    { text: '2026-11-21T09:30:00.123456789Z', micros: at + 123_456, reason: 'what goes beyond microseconds is cut' },
    { text: '2026-11-21T09:30:00.9999999Z', micros: at + 999_999, reason: 'cutting never rounds up' },
    { text: '2026-11-21T10:30:00+01:00', micros: at, reason: 'an offset to the east' },
    { text: '2026-11-21T03:00:00.25-06:30', micros: at + 250_000, reason: 'an offset to the west with minutes' },
    { text: '1969-12-31T23:59:59.999999Z', micros: -1, reason: 'before the epoch a fraction still counts forward' },
    { text: '2024-02-29T00:00:00Z', micros: Date.UTC(2024, 1, 29) * 1000, reason: 'a leap day' },
  ])('microsOf() reads $text when it is given $reason', ({ text, micros }) => {
    expect(microsOf(text)).toBe(micros);
  });

  it.each([
    { text: '', reason: 'nothing' },
    { text: 'soon', reason: 'words' },
    { text: '2026-11-21', reason: 'a date' },
    { text: '2026-11-21 09:30:00Z', reason: 'a blank for the T' },
    { text: '2026-11-21T09:30:00', reason: 'no zone: it would be local time' },
    { text: '2026-11-21T09:30Z', reason: 'no seconds' },
    { text: '2026-11-21T09:30:00.Z', reason: 'a dot without digits' },
    { text: '2026-11-21T09:30:00.1234567890Z', reason: 'more than nanoseconds' },
    { text: '2026-13-01T00:00:00Z', reason: 'a thirteenth month' },
    { text: '2026-11-21T09:61:00Z', reason: 'a minute too many' },
    { text: '2026-11-21T09:30:00Z\n', reason: 'a line break at the end' },
    { text: '1763717400', reason: 'epoch seconds' },
  ])('microsOf() throws a TypeError when it is given $reason', ({ text }) => {
    expect(() => microsOf(text)).toThrow(TypeError);
  });

  // Date.parse takes these days for days of the next month; by RFC 3339 (section 5.7) they are invalid.
  it.each([
    { text: '2026-02-30T00:00:00Z', reason: 'a day that February does not have' },
    { text: '2025-02-29T00:00:00Z', reason: 'a leap day of a common year' },
    { text: '2026-11-21T24:00:00Z', reason: 'hour 24' },
  ])('microsOf() throws a TypeError when it is given $reason', ({ text }) => {
    expect(() => microsOf(text)).toThrow(TypeError);
  });
});

describe('instantOf()', () => {
  it.each([
    { micros: at, text: '2026-11-21T09:30:00.000000Z', reason: 'a whole second' },
    { micros: at + 7, text: '2026-11-21T09:30:00.000007Z', reason: 'few microseconds' },
    { micros: at + 1000, text: '2026-11-21T09:30:00.001000Z', reason: 'a millisecond' },
    { micros: -1, text: '1969-12-31T23:59:59.999999Z', reason: 'an instant before the epoch' },
  ])('instantOf() writes $text when it is given $reason', ({ micros, text }) => {
    expect(instantOf(micros)).toBe(text);
  });

  it('instantOf() is undone by microsOf(), to the microsecond, when the instant lies between 1900 and 2255', () => {
    const instants = fc.integer({ min: Date.UTC(1900) * 1000, max: Date.UTC(2255) * 1000 });
    fc.assert(
      fc.property(instants, (micros) => {
        expect(microsOf(instantOf(micros))).toBe(micros);
      }),
    );
  });

  it('instantOf() writes text that sorts as time does', () => {
    const instants = fc.integer({ min: 0, max: Date.UTC(2255) * 1000 });
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        expect(instantOf(a) < instantOf(b)).toBe(a < b);
      }),
    );
  });
});

describe('after()', () => {
  it.each([
    { seconds: 90, text: '2026-11-21T09:31:30.000000Z', reason: 'whole seconds' },
    { seconds: 0, text: '2026-11-21T09:30:00.000000Z', reason: 'none: the same instant, as it is stored' },
    { seconds: -1.5, text: '2026-11-21T09:29:58.500000Z', reason: 'a negative number, which leads back' },
    { seconds: 0.1 + 0.2, text: '2026-11-21T09:30:00.300000Z', reason: 'a sum that is not exact' },
    { seconds: 0.000_000_4, text: '2026-11-21T09:30:00.000000Z', reason: 'less than half a microsecond' },
  ])('after() gives $text when it is given $reason', ({ seconds, text }) => {
    expect(after('2026-11-21T09:30:00Z', seconds)).toBe(text);
  });

  it.each([{ seconds: Number.NaN }, { seconds: Infinity }, { seconds: 1e20 }])(
    'after() throws a RangeError when it is given $seconds seconds',
    ({ seconds }) => {
      expect(() => after('2026-11-21T09:30:00Z', seconds)).toThrow(RangeError);
    },
  );

  it('after() throws a TypeError when the instant cannot be read', () => {
    expect(() => after('soon', 1)).toThrow(TypeError);
  });
});

describe('secondsBetween()', () => {
  it.each([
    { from: '2026-11-21T09:30:00Z', to: '2026-11-21T09:31:30.250000Z', seconds: 90.25, reason: 'the second is later' },
    { from: '2026-11-21T09:30:00Z', to: '2026-11-21T09:29:59Z', seconds: -1, reason: 'the second is earlier' },
    { from: '2026-11-21T09:30:00Z', to: '2026-11-21T10:30:00+01:00', seconds: 0, reason: 'they are the same' },
  ])('secondsBetween() is $seconds when $reason', ({ from, to, seconds }) => {
    expect(secondsBetween(from, to)).toBe(seconds);
  });

  it('secondsBetween() is what after() adds when it is a whole number of microseconds', () => {
    const micros = fc.integer({ min: 0, max: 10 ** 15 });
    fc.assert(
      fc.property(micros, micros, (start, span) => {
        const from = instantOf(start);
        expect(secondsBetween(from, after(from, span / 1_000_000))).toBe(span / 1_000_000);
      }),
    );
  });
});

describe('passClock()', () => {
  it.each([
    { instant: '2026-11-21T09:30:00Z', reached: true, reason: 'it is now' },
    { instant: '2026-11-21T09:29:59.999999Z', reached: true, reason: 'it was a microsecond ago' },
    { instant: '2026-11-21T09:30:00.000001Z', reached: false, reason: 'it is a microsecond ahead' },
  ])('reached() is $reached when $reason', ({ instant, reached }) => {
    expect(passClock(at).clock.reached(instant)).toBe(reached);
  });

  it('awaited() is undefined when every instant that was asked for has come', () => {
    const pass = passClock(at);
    pass.clock.reached('2026-11-21T09:30:00Z');
    pass.clock.reached('1970-01-01T00:00:00Z');
    expect(pass.awaited()).toBeUndefined();
  });

  it('awaited() is the earliest of the instants that have not come when several were asked for', () => {
    const offsets = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(offsets, (asked) => {
        const pass = passClock(at);
        for (const offset of asked) pass.clock.reached(instantOf(at + offset));
        const ahead = asked.filter((offset) => offset > 0);
        expect(pass.awaited()).toBe(ahead.length === 0 ? undefined : at + Math.min(...ahead));
      }),
    );
  });

  it('now() stands still and is not awaited when it is read', () => {
    const pass = passClock(at + 5);
    expect([pass.clock.now(), pass.clock.now()]).toEqual([
      '2026-11-21T09:30:00.000005Z',
      '2026-11-21T09:30:00.000005Z',
    ]);
    expect(pass.awaited()).toBeUndefined();
  });

  it('passClock() gives a clock that cannot be changed', () => {
    expect(passClock(at).clock).toSatisfy(Object.isFrozen);
  });

  it('passClock() forgets nothing when an instant cannot be read', () => {
    const pass = passClock(at);
    pass.clock.reached('2026-11-21T09:31:00Z');
    expect(() => pass.clock.reached('in a minute')).toThrow(TypeError);
    expect(pass.awaited()).toBe(at + 60_000_000);
  });

  it.each([{ micros: 0.5 }, { micros: Number.NaN }, { micros: Infinity }])(
    'passClock() throws an InvariantError when it is set to $micros',
    ({ micros }) => {
      expect(() => passClock(micros)).toThrow(InvariantError);
    },
  );
});
