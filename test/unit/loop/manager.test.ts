import { describe, expect, it, vi } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { ConfigurationError, ConnectionError } from '#lib/errors.ts';
import { Pod, reading } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { type ManagerOptions, startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const shelves = refOf(shelf);

interface Options extends Partial<ManagerOptions> {
  /** Kinds whose CRDs are installed. */
  readonly defined?: readonly AnyKindDefinition[];
}

/** A loop on the virtual API server, not started yet. */
const world = ({ defined = [shelf], ...options }: Options = {}) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, defined);
  const log = createLogger('silent');
  const start = () => startManager({ kinds: [shelf], api: api.client, timers, random: () => 0.5, log, ...options });
  const declare = (name: string, books: readonly string[]) => {
    const { apiVersion, kind } = shelves;
    api.put(shelves, { apiVersion, kind, metadata: { name, namespace: 'default' }, spec: { books } });
  };
  const podNames = (): string[] => api.all(Pod).map(({ metadata }) => metadata.name);
  return { api, timers, start, declare, podNames };
};

describe('startManager()', () => {
  it('startManager() brings about what was declared before and what is declared later', async () => {
    const { timers, start, declare, podNames } = world();
    declare('early', ['a']);
    const manager = start();
    await manager.started;
    expect(manager.isReady()).toBe(true);
    declare('late', ['b', 'c']);
    await timers.advance(1000);
    expect(podNames()).toEqual(['a', 'b', 'c']);
    await manager.stop();
  });

  it('startManager() writes nothing and is not ready before every cache is filled', async () => {
    const { api, timers, start, declare, podNames } = world();
    declare('shelf', ['a']);
    api.refuse = ({ verb, resource }) =>
      verb === 'list' && resource === 'pods' ? new ConnectionError('refused') : undefined;
    const manager = start();
    await timers.advance(10_000);
    expect({ ready: manager.isReady(), writes: api.writes, pods: podNames() }).toEqual({
      ready: false,
      writes: [],
      pods: [],
    });
    api.refuse = () => undefined;
    await timers.advance(60_000);
    expect({ ready: manager.isReady(), pods: podNames() }).toEqual({ ready: true, pods: ['a'] });
    await manager.stop();
  });

  it('startManager() waits for a resource definition that is not there yet, and logs every attempt', async () => {
    const codes: string[] = [];
    const { api, timers, start, declare, podNames } = world({
      defined: [],
      onWatchError: ({ code }) => codes.push(code),
    });
    const manager = start();
    await timers.advance(10_000);
    expect(new Set(codes)).toEqual(new Set(['NotFound']));
    expect(codes.length).toBeGreaterThan(1);
    api.define(shelf);
    declare('shelf', ['a']);
    await timers.advance(60_000);
    expect(podNames()).toEqual(['a']);
    await manager.stop();
  });

  it('startManager() watches a resource once when several kinds need it', async () => {
    const other = defineKind({ ...shelf, kind: 'Rack', plural: 'racks', owns: [reading(Pod, ['spec.nodeName'])] });
    const kinds = [shelf, other, podSet];
    const { api, start } = world({ kinds, defined: kinds });
    const manager = start();
    await manager.started;
    await settle();
    expect(new Set(api.requests.map(({ verb }) => verb))).toEqual(new Set(['list']));
    const watched = api.requests.map(({ resource }) => resource);
    expect(watched.toSorted()).toEqual([
      'controllerrevisions.apps',
      'pods',
      'podsets.app.example.com',
      'racks.demo.example.com',
      'resourcequotas',
      'shelves.demo.example.com',
    ]);
    await manager.stop();
  });

  it('startManager() only reads everything when it starts anew over what is as it should be', async () => {
    const { api, timers, start, declare } = world();
    declare('shelf', ['a', 'b']);
    const first = start();
    await timers.advance(1000);
    await first.stop();
    api.requests.length = 0;
    const second = start();
    await timers.advance(1000);
    expect(second.isReady()).toBe(true);
    expect(new Set(api.requests.map(({ verb }) => verb))).toEqual(new Set(['list']));
    await second.stop();
  });

  it.each([
    { kinds: [], reason: 'there are no kinds' },
    { kinds: [{ ...shelf, owns: [Pod, Pod] }], reason: 'a kind does not go together with what it owns' },
    { kinds: [shelf, shelf], reason: 'a kind comes twice, as two loops would fight' },
  ])('startManager() throws ConfigurationError before anything is read when $reason', ({ kinds }) => {
    const { api, start } = world({ kinds });
    expect(start).toThrow(ConfigurationError);
    expect(api.requests).toEqual([]);
  });

  it('stop() ends everything: nothing is written, watched or timed afterwards', async () => {
    const { api, timers, start, declare } = world();
    const manager = start();
    await manager.started;
    await manager.stop();
    api.requests.length = 0;
    declare('shelf', ['a']);
    await timers.advance(3_600_000);
    expect({ ready: manager.isReady(), requests: api.requests, pending: timers.pending }).toEqual({
      ready: false,
      requests: [],
      pending: [],
    });
  });

  it('stop() closes the watches at once, also while a pass waits for an answer', async () => {
    const { api, timers, start, declare } = world();
    const signals: AbortSignal[] = [];
    const client = { ...api.client };
    vi.spyOn(api.client, 'watch').mockImplementation(async (resource, options, onEvent) => {
      signals.push(options.signal);
      return client.watch(resource, options, onEvent);
    });
    const answer = Promise.withResolvers<void>();
    api.before = async ({ verb }) => (verb === 'create' ? answer.promise : undefined);
    const manager = start();
    declare('shelf', ['a']);
    await timers.advance(1000);
    const stopped = manager.stop();
    await settle();
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.map(({ aborted }) => aborted)).not.toContain(false);
    answer.resolve();
    await stopped;
  });

  it('stop() ends a start that is still waiting for its caches', async () => {
    const { api, timers, start } = world();
    api.refuse = () => new ConnectionError('refused');
    const manager = start();
    await timers.advance(1000);
    await manager.stop();
    await manager.started;
    expect({ ready: manager.isReady(), pending: timers.pending }).toEqual({ ready: false, pending: [] });
  });
});
