import { describe, expect, it } from 'vitest';
import { ConnectionError } from '#lib/errors.ts';
import { refOf } from '#lib/kind/names.ts';
import { Backoff } from '#lib/kube/reflector/backoff.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { type ManagerState, startManager } from '#lib/loop/manager/manager.ts';
import { WorkQueue } from '#lib/loop/queue/queue.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const world = () => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  const log = createLogger('silent');
  const start = () => startManager({ kinds: [shelf], api: api.client, timers, random: () => 0.5, log });
  const { apiVersion, kind } = refOf(shelf);
  const declare = (name: string, books: readonly string[]) =>
    api.put(refOf(shelf), { apiVersion, kind, metadata: { name, namespace: 'default' }, spec: { books } });
  return { api, timers, start, declare };
};

const shelvesIn = ({ watches }: ManagerState) => Object.entries(watches).find(([id]) => id.startsWith('shelves'))?.[1];
const podsIn = ({ watches }: ManagerState) => Object.entries(watches).find(([id]) => id.startsWith('pods'))?.[1];

describe('Manager.inspect()', () => {
  it('inspect() shows what is known of each resource, with versions, and that nothing is to be done', async () => {
    const { api, timers, start, declare } = world();
    const { metadata } = declare('shelf', ['a']);
    const manager = start();
    await timers.advance(1000);
    const state = manager.inspect();
    const live = api.one(refOf(shelf), 'shelf').metadata;
    expect(state.ready).toBe(true);
    expect(shelvesIn(state)).toEqual({
      resourceVersion: live.resourceVersion,
      nextBackoffMs: 800,
      cache: {
        objects: { 'default/shelf': `${metadata.uid}@${live.resourceVersion}` },
        gone: [],
        seenThrough: live.resourceVersion,
      },
    });
    expect(Object.keys(podsIn(state)?.cache.objects ?? {})).toEqual(['default/a']);
    expect(state.controllers).toMatchObject([
      {
        kind: 'Shelf',
        memory: { 'default/shelf': { uid: metadata.uid } },
      },
    ]);
    expect(state.controllers[0]?.queue).toEqual({
      ready: {},
      passedOver: {},
      taken: [],
      meanwhile: {},
      delays: {},
      failures: {},
    });
    await manager.stop();
  });

  it('inspect() shows lists that fail: no version, and a growing back-off', async () => {
    const { api, timers, start } = world();
    api.refuse = ({ verb }) => (verb === 'list' ? new ConnectionError('refused') : undefined);
    const manager = start();
    await timers.advance(500);
    const state = manager.inspect();
    expect(state.ready).toBe(false);
    expect(podsIn(state)).toEqual({
      nextBackoffMs: 3200,
      cache: { objects: {}, gone: [], seenThrough: '0' },
    });
    await manager.stop();
  });

  it('inspect() shows what waits after a refusal: when it is tried again, and why', async () => {
    const { api, timers, start, declare } = world();
    declare('shelf', ['a']);
    api.refuse = ({ verb }) => (verb === 'create' ? new ConnectionError('refused') : undefined);
    const manager = start();
    await timers.advance(10);
    const [controller] = manager.inspect().controllers;
    expect(controller?.queue.delays['default/shelf']?.afterMs).toBeGreaterThan(0);
    expect(controller?.memory['default/shelf']).toMatchObject({
      refused: [{ verb: 'create', name: 'a', attempts: 1 }],
      holds: { 'create Pod': { attempts: 1 } },
    });
    await manager.stop();
  });

  it('inspect() gives JSON, and changes nothing', async () => {
    const { timers, start, declare } = world();
    declare('shelf', ['a', 'b']);
    const manager = start();
    await timers.advance(1000);
    const state = manager.inspect();
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    expect(manager.inspect()).toEqual(state);
    await manager.stop();
  });
});

describe('WorkQueue.inspect()', () => {
  it('inspect() shows what is ready, handed out, added meanwhile, delayed and failed', () => {
    const timers = new ManualTimers();
    const queue = new WorkQueue({ timers, random: () => 0, onReady: () => undefined });
    const [a, b, c] = [keyOf('n', 'a'), keyOf('n', 'b'), keyOf('n', 'c')];
    queue.add(b);
    queue.add(a, 'resync');
    queue.take();
    queue.add(b, 'user');
    queue.addFailed(c);
    expect(queue.inspect()).toEqual({
      ready: { resync: ['n/a'] },
      passedOver: { resync: 1 },
      taken: ['n/b'],
      meanwhile: { 'n/b': 'user' },
      delays: { 'n/c': { afterMs: 50, priority: 'resync' } },
      failures: { 'n/c': 1 },
    });
  });
});

describe('Backoff', () => {
  it('boundMs is the most that the next delay can be', () => {
    const backoff = new Backoff({ baseMs: 100, maxMs: 300, random: () => 0.5 });
    const bounds = [0, 1, 2].map(() => {
      const { boundMs } = backoff;
      backoff.next();
      return boundMs;
    });
    backoff.reset();
    expect([...bounds, backoff.boundMs]).toEqual([100, 200, 300, 100]);
  });
});
