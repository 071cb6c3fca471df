import { describe, expect, it } from 'vitest';
import { WatchedQuota } from '#lib/desired/rights/quota.ts';
import { type CrowdOptions, type RefusedBy, RefusedCrowd } from '#test/unit/support/refused-crowd.ts';

const MINUTE_MS = 60_000;

/** The goals of P12: refused creates per second of the whole operator, and of one resource in its first 15 s. */
const goals = { quota: { perSecond: 10, ofOne: 8 }, policy: { perSecond: 10, ofOne: 2 } } as const;

const started = (options: CrowdOptions, isRefused: (pod: string) => boolean = () => true): RefusedCrowd => {
  const crowd = new RefusedCrowd(options);
  crowd.isRefused = isRefused;
  crowd.start();
  return crowd;
};

const isNotFine = (pod: string): boolean => !pod.includes('-fine-');

describe('the loop when several hundred resources are refused their pods', () => {
  it.each(['quota', 'policy'] as const)(
    'tries few creates a second, and few of one resource, when refused by %s',
    async (by: RefusedBy) => {
      const crowd = started({ by, resources: { default: 200, a: 50, b: 50 }, pods: 5 });
      await crowd.timers.advance(MINUTE_MS);
      await crowd.stop();
      // The first burst: each resource is refused once.
      expect(crowd.refused.filter(({ atMs }) => atMs === 0)).toHaveLength(300);
      expect(crowd.mostPerSecond(0)).toBeLessThanOrEqual(goals[by].perSecond);
      expect(crowd.mostOfOne(15_000)).toBeLessThanOrEqual(goals[by].ofOne);
      const again = new Set(crowd.refused.filter(({ atMs }) => atMs > 0).map(({ resource }) => resource));
      expect(again.size).toBeGreaterThan(100);
    },
  );

  it('stops creates in a namespace that ends at once, and in no other', async () => {
    const crowd = started({ by: 'ending namespace', resources: { default: 300, b: 20 }, pods: 5 }, (pod) =>
      pod.startsWith('default-'),
    );
    await crowd.timers.advance(30_000);
    await crowd.stop();
    // Refused are the concurrent creates at the time of the first answer, and some in every two seconds.
    expect(crowd.refused.filter(({ atMs }) => atMs === 0).length).toBeLessThanOrEqual(16);
    expect(crowd.refused.length).toBeLessThanOrEqual(16 + 15);
    expect(crowd.pods('b')).toBe(100);
  });

  it('tries few creates of one resource when others of its namespace were accepted before', async () => {
    const room = new Set<string>();
    const isRefused = (pod: string): boolean => !room.has(pod) && (room.size >= 40 || !room.add(pod));
    const crowd = started({ by: 'quota', resources: { default: 300 }, pods: 5 }, isRefused);
    await crowd.timers.advance(MINUTE_MS);
    await crowd.stop();
    expect(crowd.pods('default')).toBe(40);
    expect(crowd.mostPerSecond(0)).toBeLessThanOrEqual(goals.quota.perSecond);
    expect(crowd.mostOfOne(15_000)).toBeLessThanOrEqual(goals.quota.ofOne);
  });

  it('lets namespaces take turns: one resource is tried again as soon as its own back-off ends', async () => {
    const crowd = started({ by: 'quota', resources: { default: 400, b: 1 }, pods: 2 });
    await crowd.timers.advance(30_000);
    await crowd.stop();
    const tries = crowd.refused.filter(({ resource }) => resource === 'b-s0').map(({ atMs }) => atMs);
    // The delay is 0.5 to 1 s, and doubles after each try: at least four more tries in 15 s, each at most a second late.
    expect(tries.filter((atMs) => atMs < 20_000).length).toBeGreaterThanOrEqual(5);
  });

  it('holds up no resource of a namespace, or in another one, that is not refused', async () => {
    const crowd = started({ by: 'policy', resources: { default: 300, b: 0 }, pods: 3 }, isNotFine);
    await crowd.timers.advance(5000);
    crowd.declare('default', 'fine');
    crowd.declare('b', 'fine');
    await crowd.timers.advance(100);
    await crowd.stop();
    expect([crowd.pods('default'), crowd.pods('b')]).toEqual([3, 3]);
  });

  it('brings all their pods soon after the policy is gone', async () => {
    const crowd = started({ by: 'policy', resources: { default: 100, b: 50 }, pods: 3 });
    await crowd.timers.advance(9900);
    crowd.isRefused = () => false;
    await crowd.timers.advance(21_000);
    await crowd.stop();
    expect([crowd.pods('default'), crowd.pods('b')]).toEqual([300, 150]);
  });

  it('tries the other children of a resource when a policy refuses one of them', async () => {
    const crowd = started({ by: 'policy', resources: { default: 1 }, pods: 4 }, (pod) => pod.endsWith('-0'));
    await crowd.timers.advance(15_000);
    await crowd.stop();
    expect(crowd.pods('default')).toBe(3);
  });
});

describe('the turns of resources that are refused', () => {
  it('are given back when an edit makes them needless', async () => {
    const crowd = started({ by: 'policy', resources: { default: 60 }, pods: 1 });
    await crowd.timers.advance(12_000);
    expect(crowd.inspect().probes?.waiting).not.toEqual([]);
    crowd.isRefused = (pod) => pod.endsWith('-0');
    for (let index = 0; index < 60; index += 1) crowd.wantNone('default', `s${index}`);
    await crowd.timers.advance(MINUTE_MS);
    expect(crowd.inspect().probes).toBeUndefined();
    await crowd.stop();
  });
});

/** Three hundred resources that wait for quota, after half a minute. */
const waiting = async () => {
  const crowd = new RefusedCrowd({ by: 'quota', resources: { default: 300 }, pods: 2 });
  const metadata = { name: 'few', namespace: 'default' };
  crowd.api.put(WatchedQuota, { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods: '0' } } });
  const allow = (pods: number): void => {
    crowd.api.editStatus(WatchedQuota, 'few', {
      hard: { pods: String(pods) },
      used: { pods: String(crowd.pods('default')) },
    });
    crowd.isRefused = () => crowd.pods('default') >= pods;
  };
  allow(0);
  crowd.start();
  await crowd.timers.advance(30_000);
  crowd.refused.length = 0;
  return { crowd, allow };
};

describe('the loop when a quota that refused several hundred resources makes room', () => {
  it('has all their pods within seconds when there is room for all', async () => {
    const { crowd, allow } = await waiting();
    allow(1000);
    await crowd.timers.advance(3000);
    await crowd.stop();
    expect(crowd.pods('default')).toBe(600);
  });

  it('tries few creates when there is room for one pod', async () => {
    const { crowd, allow } = await waiting();
    allow(1);
    await crowd.timers.advance(1000);
    await crowd.stop();
    expect(crowd.pods('default')).toBe(1);
    expect(crowd.refused.length).toBeLessThanOrEqual(goals.quota.perSecond);
  });

  it('tries few creates a second when there is room for one pod again and again, and all of it is used', async () => {
    const { crowd, allow } = await waiting();
    const began = crowd.timers.elapsed();
    for (let pods = 1; pods <= 20; pods += 1) {
      allow(pods);
      await crowd.timers.advance(500);
    }
    await crowd.timers.advance(5000);
    await crowd.stop();
    expect(crowd.mostPerSecond(began)).toBeLessThanOrEqual(goals.quota.perSecond);
    expect(crowd.pods('default')).toBe(20);
  });
});
