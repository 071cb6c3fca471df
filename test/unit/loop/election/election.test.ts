import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError } from '#lib/errors.ts';
import { LEASES } from '#lib/loop/election/lease-object.ts';
import { settle } from '#test/unit/support/manual-timers.ts';
import { Candidates } from './candidates.ts';

const DURATION_MS = 15_000;
const RETRY_MS = 2400;

/** A leader `a`, and a candidate `b` that waits. */
const pair = async () => {
  const world = new Candidates();
  const a = world.start('a');
  await settle();
  const b = world.start('b');
  await settle();
  return { world, a, b };
};

describe('startElection()', () => {
  it('startElection() acquires a lease that does not exist yet, and reports it before the attempt', async () => {
    const world = new Candidates();
    const { reports } = world.start('a');
    await settle();
    expect(reports).toEqual(['acquired', 'attempted']);
    expect(world.spec()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-11-21T09:30:00.000000Z',
      renewTime: '2026-11-21T09:30:00.000000Z',
      leaseTransitions: 0,
    });
  });

  it('startElection() leads alone for as long as it renews', async () => {
    const { world, a, b } = await pair();
    await world.timers.advance(600_000);
    expect([a.reports, b.reports]).toEqual([
      ['acquired', 'attempted'],
      ['follows a', 'attempted'],
    ]);
    expect(world.leaders()).toEqual([a]);
  });

  it('startElection() takes over when the leader is silent for the lease duration, not sooner, and within a retry of it', async () => {
    const { world, a, b } = await pair();
    await world.timers.advance(2000);
    a.cutOff = true;
    await world.timers.advance(DURATION_MS - 2000);
    expect(b.reports).not.toContain('acquired');
    await world.timers.advance(2000 + RETRY_MS);
    expect(b.reports).toContain('acquired');
    expect(world.spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('startElection() takes over within one retry when the leader gives the lease back', async () => {
    const { world, a, b } = await pair();
    await world.timers.advance(5000);
    await a.release();
    expect(world.spec()['holderIdentity']).toBeUndefined();
    await world.timers.advance(RETRY_MS);
    expect(b.reports).toContain('acquired');
  });

  it('startElection() gives up before others take over when it cannot renew', async () => {
    const { world, a } = await pair();
    a.cutOff = true;
    await world.timers.advance(9999);
    expect(a.reports).toEqual(['acquired', 'attempted']);
    await world.timers.advance(1);
    expect(a.reports.at(-1)).toBe('lost: it could not be renewed for 10000 ms');
    expect(world.leaders()).toEqual([]);
  });

  it('startElection() gives up when another process holds the lease, and leaves it alone', async () => {
    const { world, a } = await pair();
    world.api.edit(LEASES, 'operator', (lease) => ({
      ...lease,
      spec: { ...(lease['spec'] as object), holderIdentity: 'c' },
    }));
    await world.timers.advance(4000);
    expect(a.reports.at(-1)).toBe('lost: "c" holds the lease now');
    await a.release();
    expect(world.spec()['holderIdentity']).toBe('c');
  });

  it.each([
    {
      what: 'is annotated',
      act: ({ api }: Candidates) =>
        api.edit(LEASES, 'operator', (lease) => ({
          ...lease,
          metadata: { ...lease.metadata, annotations: { a: 'b' } },
        })),
    },
    { what: 'is deleted', act: ({ api }: Candidates) => api.vanish(LEASES, 'operator') },
  ])('startElection() stays leader when the lease $what', async ({ act }) => {
    const { world, a } = await pair();
    act(world);
    await world.timers.advance(30_000);
    expect(world.leaders()).toEqual([a]);
    expect(world.spec()['holderIdentity']).toBe('a');
  });

  it('startElection() does not take a lease that was deleted while its holder may still lead', async () => {
    for (let afterMs = 100; afterMs <= 4000; afterMs += 100) {
      const world = new Candidates();
      const a = world.start('a');
      await world.timers.advance(700);
      world.start('b');
      await world.timers.advance(20_000 + afterMs);
      world.api.vanish(LEASES, 'operator');
      for (let waited = 0; waited < 10_000; waited += 100) {
        await world.timers.advance(100);
        expect(world.leaders()).toEqual([a]);
      }
    }
  });

  it('startElection() takes a lease that was deleted with its holder, after the lease duration', async () => {
    const { world, a, b } = await pair();
    await world.timers.advance(20_000);
    a.cutOff = true;
    world.api.vanish(LEASES, 'operator');
    await world.timers.advance(DURATION_MS - 1);
    expect(b.reports).not.toContain('acquired');
    await world.timers.advance(2 * RETRY_MS);
    expect(b.reports).toContain('acquired');
  });

  it('startElection() waits for the duration in a deleted lease when it is longer than its own', async () => {
    const { world, b } = await pair();
    world.api.edit(LEASES, 'operator', (lease) => ({
      ...lease,
      spec: { ...(lease['spec'] as object), holderIdentity: 'c', leaseDurationSeconds: 60 },
    }));
    await world.timers.advance(5000);
    world.api.vanish(LEASES, 'operator');
    await world.timers.advance(60_000 - 1);
    expect(b.reports).not.toContain('acquired');
    await world.timers.advance(2 * RETRY_MS);
    expect(b.reports).toContain('acquired');
  });

  it('startElection() does not believe the clocks of others', async () => {
    const { world, b } = await pair();
    world.api.edit(LEASES, 'operator', (lease) => ({
      ...lease,
      spec: { ...(lease['spec'] as object), holderIdentity: 'c', renewTime: '2001-01-01T00:00:00.000000Z' },
    }));
    await world.timers.advance(DURATION_MS - 1);
    expect(b.reports).not.toContain('acquired');
  });

  it('startElection() leads when the answer was lost to the request that made it leader', async () => {
    const world = new Candidates();
    world.api.loseAnswer = () => new ConnectionError('lost');
    const { reports } = world.start('a');
    await settle();
    world.api.loseAnswer = () => undefined;
    await world.timers.advance(RETRY_MS);
    expect(reports).toEqual(['attempted', 'acquired']);
  });

  it('stand() decides whether a free lease is taken, and takes it at once', async () => {
    const world = new Candidates();
    const a = world.start('a', { stands: false });
    await world.timers.advance(60_000);
    expect([a.reports, world.api.writes]).toEqual([['attempted'], []]);
    a.stand(true);
    await settle();
    expect(a.reports).toEqual(['attempted', 'acquired']);
  });

  it('stand() keeps a candidate that is not fit from a lease that is given back, and another one takes it', async () => {
    const { world, a, b } = await pair();
    b.stand(false);
    await a.release();
    await world.timers.advance(60_000);
    expect(b.reports).not.toContain('acquired');
    b.stand(true);
    await settle();
    expect(world.leaders()).toEqual([b]);
  });

  it('stand() changes nothing for a leader', async () => {
    const { world, a } = await pair();
    a.stand(false);
    await world.timers.advance(60_000);
    expect(world.leaders()).toEqual([a]);
  });

  it('startElection() gives the time since which the lease was free: for one that was given back, since it was seen so', async () => {
    const { world, a } = await pair();
    await a.release();
    await world.timers.advance(3000);
    const c = world.start('c', { stands: false });
    await world.timers.advance(5000);
    const [b] = world.leaders();
    await b?.release();
    const seen = world.timers.elapsed();
    await world.timers.advance(RETRY_MS);
    expect(c.reports).not.toContain('acquired');
    const d = world.start('d', { stands: false });
    await world.timers.advance(100);
    const looked = world.timers.elapsed() - 100;
    b?.stand(false);
    d.stand(true);
    await settle();
    expect([looked >= seen, d.aloneSinceMs()]).toEqual([true, looked]);
  });

  it('startElection() gives the time since which the lease was free: for one that was not renewed, since it was over', async () => {
    const { world, a, b } = await pair();
    a.cutOff = true;
    await world.timers.advance(DURATION_MS + RETRY_MS);
    expect(b.aloneSinceMs()).toBe(DURATION_MS);
  });

  it('startElection() reports a deleted lease as free since the end of the wait for its holder', async () => {
    const { world, a, b } = await pair();
    await world.timers.advance(20_000);
    const validUntilMs = a.validUntilMs();
    a.cutOff = true;
    world.api.vanish(LEASES, 'operator');
    await world.timers.advance(DURATION_MS + 2 * RETRY_MS);
    expect(b.reports).toContain('acquired');
    expect(b.aloneSinceMs()).toBeGreaterThanOrEqual(validUntilMs);
  });

  it('startElection() reports a missing lease as free since the first look', async () => {
    const world = new Candidates();
    const a = world.start('a', { stands: false });
    await world.timers.advance(60_000);
    a.stand(true);
    await settle();
    expect(a.aloneSinceMs()).toBe(0);
  });

  it('startElection() never has two leaders, whatever requests, answers and processes are lost', async () => {
    const act = fc.record({
      waitMs: fc.integer({ min: 0, max: 9000 }),
      what: fc.constantFrom('cut', 'heal', 'lose answers', 'refuse', 'heal server', 'release', 'start'),
      index: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        const world = new Candidates();
        world.start('a');
        world.start('b');
        for (const { waitMs, what, index } of acts) {
          for (let waited = 0; waited < waitMs; waited += 500) {
            await world.timers.advance(500);
            expect(world.leaders().length).toBeLessThanOrEqual(1);
          }
          const candidate = world.all[index % world.all.length];
          if (candidate && (what === 'cut' || what === 'heal')) candidate.cutOff = what === 'cut';
          if (what === 'lose answers') world.api.loseAnswer = () => new ConnectionError('lost');
          if (what === 'refuse') world.api.refuse = () => new ConnectionError('refused');
          if (what === 'heal server') world.api.refuse = world.api.loseAnswer = () => undefined;
          if (what === 'start' && world.all.length < 4) world.start(`late-${world.all.length}`);
          if (what === 'release') void candidate?.release();
        }
        world.api.refuse = world.api.loseAnswer = () => undefined;
        for (const candidate of world.all) candidate.cutOff = false;
        world.start('last');
        await world.timers.advance(20_000);
        expect(world.leaders()).toHaveLength(1);
      }),
    );
  });
});

describe('startElection() with credentials that are not accepted', () => {
  it('startElection() shows them ever more rarely, up to every 30 s, and takes the lease when they are', async () => {
    const world = new Candidates();
    world.api.refuse = () => new ApiError('get lease', { httpStatus: 401, reason: 'Unauthorized', message: 'no' });
    const a = world.start('a');
    await world.timers.advance(600_000);
    expect(world.api.requests.length).toBeLessThan(30);
    world.api.refuse = () => undefined;
    await world.timers.advance(30_000);
    expect(a.reports).toContain('acquired');
  });
});
