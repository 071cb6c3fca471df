import { describe, expect, it } from 'vitest';
import { Closers } from '#lib/runtime/closers.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';

const closing = () => {
  const logged: unknown[] = [];
  const ended: string[] = [];
  const timers = new ManualTimers();
  const log = { error: (fields: unknown) => void logged.push(fields) };
  const closers = new Closers({ log, timers });
  return { closers, logged, ended, timers };
};

describe('Closers.closeAll()', () => {
  it('closeAll() ends what began last first, one after the other', async () => {
    const { closers, ended, logged } = closing();
    for (const what of ['a', 'b', 'c']) {
      closers.push(what, async () => {
        await settle();
        ended.push(what);
      });
    }
    await closers.closeAll();
    expect(ended).toEqual(['c', 'b', 'a']);
    expect(logged).toEqual([]);
  });

  it('closeAll() ends the others, and reports the errors, when one throws, rejects or hangs', async () => {
    const { closers, ended, logged, timers } = closing();
    closers.push('first', () => ended.push('first'));
    closers.push('throws', () => {
      throw new Error('broken');
    });
    closers.push('rejects', async () => Promise.reject(new Error('broken')));
    closers.push('hangs', async () => new Promise(() => undefined));
    const closed = closers.closeAll();
    await timers.advance(4999);
    expect(ended).toEqual([]);
    await timers.advance(1);
    await closed;
    expect(ended).toEqual(['first']);
    expect(logged).toMatchObject([{ what: 'hangs', afterMs: 5000 }, { what: 'rejects' }, { what: 'throws' }]);
    expect(timers.pending).toEqual([]);
  });

  it('closeAll() starts to close every part, and ends after 15 s, when all parts hang', async () => {
    const { closers, ended, logged, timers } = closing();
    const parts = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const what of parts) {
      closers.push(what, async () => {
        ended.push(what);
        return new Promise(() => undefined);
      });
    }
    let isClosed = false;
    void closers.closeAll().then(() => (isClosed = true));
    await timers.advance(14_999);
    expect([isClosed, ended.length]).toEqual([false, 3]);
    await timers.advance(1);
    expect(isClosed).toBe(true);
    expect(ended).toEqual(parts.toReversed());
    expect(logged).toHaveLength(parts.length);
  });

  it('closeAll() handles a failure after the end of its wait', async () => {
    const { closers, ended, timers } = closing();
    const { promise, reject } = Promise.withResolvers<void>();
    closers.push('first', () => ended.push('first'));
    closers.push('late', async () => promise);
    const closed = closers.closeAll();
    await timers.advance(5000);
    await closed;
    reject(new Error('late'));
    await settle();
    expect(ended).toEqual(['first']);
  });
});
