import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keyOf } from '#lib/loop/context/key.ts';
import { createBoard } from '#lib/loop/guardian/board.ts';
import { startWatchdog } from '#lib/loop/guardian/watchdog.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const unused = async (): Promise<never> => {
  throw new Error('no request is expected');
};

it('startWatchdog() has no timer while no call runs, and checks again when the next call begins', async () => {
  const shown = createBoard();
  const board = createBoard(shown.buffer);
  startWatchdog({ board, kinds: [], api: { get: unused, patchStatus: unused }, release: unused });
  shown.enter(0, keyOf('default', 'first'));
  await vi.advanceTimersByTimeAsync(250);
  shown.leave();
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(500);
  expect(vi.getTimerCount()).toBe(0);
  shown.enter(0, keyOf('default', 'second'));
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
});
