import { describe, expect, it } from 'vitest';
import { RestartPolicy } from '#lib/cli/verbs/dev/operator/restart-policy.ts';
import { manualTimers } from '../kube/manual-timers.ts';

const policyOn = (timers = manualTimers()) => {
  const policy = new RestartPolicy(timers);
  /** Whether a restart becomes due within this time. */
  const isDueIn = async (ms: number): Promise<boolean> => {
    let isDue = false;
    void policy.due.then(() => (isDue = true));
    await timers.advance(ms);
    return isDue;
  };
  return { policy, timers, isDueIn };
};

describe('RestartPolicy', () => {
  it('ended() waits longer each time, and as at first after one that has lasted, or for something else', async () => {
    const { policy, timers, isDueIn } = policyOn();
    const endsAfter = async (ms: number): Promise<number> => {
      policy.began();
      await timers.advance(ms);
      return policy.ended();
    };
    const pauses = [];
    for (let life = 0; life < 7; life += 1) pauses.push(await endsAfter(1000));
    expect(pauses).toEqual([500, 1000, 2000, 5000, 10_000, 30_000, 30_000]);
    expect(await isDueIn(29_999)).toBe(false);
    expect(await isDueIn(1)).toBe(true);
    expect(await endsAfter(60_001)).toBe(500);
    expect(policy.unstarted()).toBe(1000);
    policy.forget();
    expect(policy.unstarted()).toBe(500);
  });

  it('began() makes nothing due any more of what ended meanwhile', async () => {
    const { policy, timers, isDueIn } = policyOn();
    policy.ended();
    policy.began();
    expect(await isDueIn(60_000)).toBe(false);
    policy.ended();
    policy.cancel();
    expect(timers.pending()).toEqual([]);
  });

  it('due resolves for earlier callers when one ends after another could not be started', async () => {
    const { policy, timers } = policyOn();
    policy.began();
    policy.unstarted();
    let isDue = false;
    void policy.due.then(() => (isDue = true));
    policy.ended();
    await timers.advance(1000);
    expect(isDue).toBe(true);
  });
});
