import { describe, expect, it } from 'vitest';
import { settle } from '#test/unit/support/manual-timers.ts';
import { Candidates } from './candidates.ts';

const DURATION_MS = 15_000;
const proofs = (reports: readonly string[]): number => reports.filter((word) => word.startsWith('restored')).length;

const world = async () => {
  const all = new Candidates();
  const a = all.start('a');
  await settle();
  const b = all.start('b');
  await all.timers.advance(10_000);
  const snapshot = all.api.snapshot();
  /** Runs for some time, and checks that two candidates never both assume that they lead. */
  const watched = async (ms: number): Promise<number> => {
    let most = 0;
    for (let passed = 0; passed < ms; passed += 100) {
      await all.timers.advance(100);
      most = Math.max(most, all.leaders().length);
    }
    return most;
  };
  return { all, a, b, snapshot, watched };
};

describe('startElection() when storage was restored', () => {
  it.each([undefined, '1000000'])(
    'startElection() notices by its lease, and leads on, at version %s',
    async (version) => {
      const { all, a, b, snapshot, watched } = await world();
      await all.timers.advance(20_000);
      all.api.restoreStorage(snapshot, version);
      expect(await watched(60_000)).toBe(1);
      // After the leader has renewed the lease under a higher version, the lease no longer shows the restore.
      expect([proofs(a.reports), proofs(b.reports)]).toEqual([1, version === undefined ? 1 : 0]);
      expect([all.leaders(), all.spec()['holderIdentity']]).toEqual([[a], 'a']);
    },
  );

  it('startElection() does not take a lease that it held in the snapshot before the leader since then must have stopped', async () => {
    const { all, a, b, snapshot, watched } = await world();
    await a.release();
    await all.timers.advance(5000);
    const again = all.start('a');
    await all.timers.advance(5000);
    expect(all.leaders()).toEqual([b]);
    all.api.restoreStorage(snapshot);
    b.cutOff = true;
    expect(await watched(DURATION_MS)).toBe(1);
    expect(await watched(30_000)).toBe(1);
    expect(all.leaders()).toEqual([again]);
  });

  it('startElection() does not acquire a lease without holder in the snapshot at once, either', async () => {
    const all = new Candidates();
    const first = all.start('first');
    await settle();
    await first.release();
    const snapshot = all.api.snapshot();
    const a = all.start('a');
    const b = all.start('b');
    await all.timers.advance(10_000);
    expect(all.leaders()).toEqual([a]);
    all.api.restoreStorage(snapshot);
    a.cutOff = true;
    await all.timers.advance(DURATION_MS - 3000);
    expect(b.reports).not.toContain('acquired');
    await all.timers.advance(20_000);
    expect(b.reports).toContain('acquired');
  });

  it('startElection() takes no lease that was made anew for an older one', async () => {
    const { all, a, b } = await world();
    all.api.vanish(
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', scope: 'Namespaced' },
      'operator',
    );
    await all.timers.advance(20_000);
    expect([proofs(a.reports), proofs(b.reports)]).toEqual([0, 0]);
  });
});
