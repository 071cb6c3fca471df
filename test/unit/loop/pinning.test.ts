import { describe, expect, it } from 'vitest';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { directTransport } from '#lib/sim/world/api/direct-transport.ts';
import { kubeApiOver } from '#lib/sim/world/api/kube-api.ts';
import { userOf } from '#lib/sim/world/scenario/user.ts';
import { virtualWishes } from '#test/contract/pinning/intents.ts';
import { tryPinning } from '#test/contract/pinning/pinning.ts';
import { widgetsCrd } from '#test/contract/pinning/widgets.ts';
import { runs } from '#test/properties.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const CRDS = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };

const ground = async () => {
  const timers = new ManualTimers();
  const server = createClusterServer(() => timers.trueNow);
  userOf(server).create(CRDS, widgetsCrd);
  return { api: kubeApiOver(directTransport(server, timers)), namespace: 'default' };
};

describe('response pinning', () => {
  it('leaves alone what an apply would not change, and restores what another writer changed of ours (R3)', async () => {
    const tally = await tryPinning(ground, { wishes: virtualWishes, runs: runs(300) });
    expect(tally.refused).toBeLessThan(tally.cases / 2);
    expect(tally.blocked).toBeLessThan(tally.cases / 20);
    expect(tally.skips).toBeGreaterThan(tally.cases);
    expect(tally.unclaimed).toBeLessThan(tally.skips / 50);
  });
});
