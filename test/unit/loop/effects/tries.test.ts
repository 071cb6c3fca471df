import { describe, expect, it } from 'vitest';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import type { EffectAttempt } from '#lib/loop/effects/attempt.ts';
import { effectRecordOf } from '#lib/loop/effects/attempt.ts';
import { Tries } from '#lib/loop/effects/tries.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { get } from '#test/unit/support/effects-bench.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';

const dryRun = (key: string): Effect => ({ effect: 'dryRun', key, object: { apiVersion: 'v1', kind: 'Pod' } });

/** Attempts to servers that never answer; records which ones started. */
const hangingTries = () => {
  const begun: string[] = [];
  const timers = new ManualTimers();
  const perform = async ({ key }: Effect): Promise<EffectAttempt> => {
    begun.push(key);
    return new Promise(() => undefined);
  };
  const log = createLogger('silent');
  const tries = new Tries({ perform, timers, random: () => 0, now: () => timers.now(), log });
  const ask = async (namespace: string, effect: Effect): Promise<void> => {
    const resource = { metadata: { namespace, name: 'caller' } } as unknown as AnyResource;
    void tries.untilEnd(keyOf(namespace, 'caller'), resource, effectRecordOf(effect));
    await settle();
  };
  return { begun, ask };
};

describe('Tries', () => {
  it('Tries begin at once what a namespace asks for while the servers of 20 others hang', async () => {
    const { begun, ask } = hangingTries();
    for (let tenant = 0; tenant < 20; tenant += 1)
      for (let count = 0; count < 20; count += 1) await ask(`tenant-${tenant}`, get(`${tenant}-${count}`));
    const before = begun.length;
    await ask('other', get('late'));
    expect(begun.slice(before)).toEqual(['late']);
    expect(before).toBeLessThanOrEqual(16 * 16 + 20);
  });

  it('Tries begin a dry run at once while HTTP requests of the same namespace hang', async () => {
    const { begun, ask } = hangingTries();
    for (let count = 0; count < 20; count += 1) await ask('tenant', get(`${count}`));
    await ask('tenant', dryRun('template'));
    expect(begun).toHaveLength(17);
    expect(begun.at(-1)).toBe('template');
  });
});
