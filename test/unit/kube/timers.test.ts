import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemTimers } from '#lib/kube/interface/timers.ts';

const DAY_MS = 24 * 3_600_000;

describe('systemTimers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('setTimer() waits as long as asked when the delay is beyond 2^31 ms', () => {
    let firedAt: number | undefined;
    const start = systemTimers.now();
    systemTimers.setTimer(60 * DAY_MS, () => {
      firedAt = systemTimers.now();
    });
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(firedAt).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(firedAt).toBe(start + 60 * DAY_MS);
  });

  it.each([10, 60 * DAY_MS])('setTimer() never fires when a timer of %d ms is cancelled', (delayMs) => {
    let fired = false;
    const cancel = systemTimers.setTimer(delayMs, () => {
      fired = true;
    });
    vi.advanceTimersByTime(delayMs - 5);
    cancel();
    vi.advanceTimersByTime(DAY_MS);
    expect(fired).toBe(false);
  });

  it('setTimer() fires later, not at once, when the delay is negative', () => {
    let fired = false;
    systemTimers.setTimer(-5, () => {
      fired = true;
    });
    expect(fired).toBe(false);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(true);
  });
});
