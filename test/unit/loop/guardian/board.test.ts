import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from '#lib/loop/context/key.ts';
import { createBoard } from '#lib/loop/guardian/board.ts';

describe('createBoard()', () => {
  it('createBoard() shows the other thread the validity and the call as they were written, longest names included', () => {
    const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    fc.assert(
      fc.property(name, fc.stringMatching(/^[a-z0-9.]{1,253}$/), fc.nat(), (namespace, object, kind) => {
        const ours = createBoard();
        const theirs = createBoard(ours.buffer);
        const key = keyOf(namespace, object);
        ours.enter(kind, key);
        expect({ ...theirs.callOf(theirs.sequence()), odd: theirs.sequence() % 2 }).toEqual({ kind, key, odd: 1 });
        ours.leave();
        expect(theirs.sequence() % 2).toBe(0);
        theirs.setValidity({ elapsedMs: 1234.5, wallMs: 1_795_000_000_000 });
        expect(ours.validity()).toEqual({ elapsedMs: 1234.5, wallMs: 1_795_000_000_000 });
      }),
    );
  });

  it('callOf() names no resource when the observed call has ended, and another one has begun', () => {
    const board = createBoard();
    board.enter(0, keyOf('default', 'slow'));
    const judged = board.sequence();
    board.leave();
    board.enter(0, keyOf('default', 'innocent'));
    expect(board.callOf(judged)).toBeUndefined();
    expect(board.callOf(board.sequence())).toEqual({ kind: 0, key: 'default/innocent' });
  });

  it('changed() resolves when a call begins, also when the call has begun before the wait', async () => {
    const ours = createBoard();
    const theirs = createBoard(ours.buffer);
    const idle = theirs.sequence();
    let hasChanged = false;
    const observe = async (): Promise<void> => {
      await theirs.changed(idle);
      hasChanged = true;
    };
    const changed = observe();
    await new Promise(setImmediate);
    expect(hasChanged).toBe(false);
    ours.enter(0, keyOf('default', 'next'));
    await changed;
    await theirs.changed(idle);
    expect(theirs.callOf(theirs.sequence())).toEqual({ kind: 0, key: 'default/next' });
  });
});
