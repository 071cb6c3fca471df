import { describe, expect, it } from 'vitest';
import type { RolloutAdapter } from '#constructs/rollout/engine/adapter.ts';
import { noChecks } from '#constructs/rollout/engine/checks.ts';
import { passClock } from '#lib/desired/clock.ts';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';

const canary: RolloutAdapter['asked'] = { hash: 'b', version: '2', name: 'web-b' };

describe('noChecks()', () => {
  it('noChecks() passes at every hook and keeps what was recorded', () => {
    const answer = noChecks({
      hook: 'Step',
      rollout: { name: 'web', namespace: 'default', uid: 'u' },
      canary,
      stepIndex: 0,
      percent: 10,
      analysis: [],
      outcomes: noOutcomes,
      clock: passClock(0).clock,
      milestones: [],
    });
    expect(answer).toMatchObject({ verdict: 'pass', effects: [], analysis: [], events: [] });
  });
});
