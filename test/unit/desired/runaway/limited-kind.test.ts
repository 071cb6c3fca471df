import { close, open } from 'node:inspector';
import { describe, expect, it } from 'vitest';
import { limitedCall, limitedKind } from '#lib/desired/runaway/limited-kind.ts';
import { withCalls } from '#lib/desired/runaway/with-calls.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const endless = (): never => {
  for (;;);
};

/** Waits without CPU time, as a function on a machine whose processors are busy with other work. */
const idle = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000);

describe('limitedCall()', () => {
  it('limitedCall() gives what the function gives, and throws what it throws', () => {
    expect(limitedCall(endless, () => 7)).toBe(7);
    const error = new RangeError('mine');
    expect(() =>
      limitedCall(endless, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it('limitedCall() ends a call that does not return', () => {
    expect(() => limitedCall(endless, endless, 10)).toThrow(expect.objectContaining({ code: 'DesiredHung' }));
  });

  it('limitedCall() calls again what got too little of the processor', () => {
    let calls = 0;
    const call = (): string => {
      calls += 1;
      if (calls < 3) idle();
      return 'done';
    };
    expect(limitedCall(endless, call, 10)).toBe('done');
    expect(calls).toBe(3);
  });

  it('limitedCall() ends a call that only sleeps', () => {
    expect(() => limitedCall(endless, idle, 10)).toThrow(expect.objectContaining({ code: 'DesiredHung' }));
  });

  it('limitedCall() has no limit while a debugger listens', () => {
    open(0, '127.0.0.1');
    try {
      const end = performance.now() + 50;
      const slow = (): string => {
        while (performance.now() < end);
        return 'done';
      };
      expect(limitedCall(endless, slow, 10)).toBe('done');
    } finally {
      close();
    }
  });
});

describe('limitedKind()', () => {
  it('limitedKind() ends a function that does not return', () => {
    const limited = limitedKind({ ...shelf, finalize: endless });
    expect(() => limited.finalize?.({} as never)).toThrow(expect.objectContaining({ code: 'DesiredHung' }));
  });
});

describe('withCalls()', () => {
  it('withCalls() makes the calls of every function of a kind', () => {
    const functions = { desired: endless, finalize: endless, selector: endless, orphanNames: endless };
    const called: unknown[] = [];
    const watched = withCalls({ ...shelf, ...functions }, (_resource, _call, each) => void called.push(each) as never);
    for (const name of ['desired', 'finalize', 'selector', 'orphanNames'] as const) watched[name]?.({} as never);
    expect(called).toEqual(Object.values(functions));
  });
});
