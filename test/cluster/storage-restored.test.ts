import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StorageFleet } from '#test/company/storage/fleet.ts';
import { createFleet, storageStory } from '#test/company/storage/story.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';

let plane: ControlPlane;
let operator: OperatorProcess;
let fleet: StorageFleet;

beforeAll(async () => {
  plane = await startControlPlane({ audit: 'Writes' });
  await installBundle(plane);
  // The garbage collector discovers new CRDs every 30 s, and when it starts.
  await plane.restart('kube-controller-manager');
  fleet = await createFleet(plane);
  // Longer than usual: storage is away for seconds, and the operator must keep its lease.
  operator = await startInstalledOperator(plane, { env: { LEASE_DURATION_SECONDS: '30' } });
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const restoresLogged = (): number =>
  operator.log.filter(({ msg }) => msg.startsWith('the storage of the API server was restored')).length;

describe('an operator whose storage is restored from a snapshot of etcd', () => {
  it.each([0, 1_000_000_000])(
    'follows the snapshot, and edits made afterwards, with all kinds and a revision raised by %i',
    async (bump) => {
      const before = restoresLogged();
      const { orphans, followedAfterMs, editsAfterMs } = await storageStory({
        plane,
        fleet,
        bump,
        round: Math.sign(bump),
      });
      expect(orphans).toEqual([]);
      expect(restoresLogged() - before).toBe(1);
      expect(followedAfterMs + editsAfterMs).toBeLessThan(60_000);
    },
  );
});
