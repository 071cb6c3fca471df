import { describe, expect, it } from 'vitest';
import { ApiError, ConfigurationError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { type ManagerOptions, startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const shelves = refOf(shelf);

/** A loop for shelves in three namespaces. */
const world = (options: Partial<ManagerOptions> = {}) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  for (const namespace of ['blue', 'red']) api.makeNamespace(namespace);
  const log = createLogger('silent');
  const start = () => startManager({ kinds: [shelf], api: api.client, timers, random: () => 0.5, log, ...options });
  const declare = (namespace: string, book: string) => {
    const { apiVersion, kind } = shelves;
    api.put(shelves, { apiVersion, kind, metadata: { name: 'shelf', namespace }, spec: { books: [book] } });
  };
  const pods = () =>
    ['default', 'blue', 'red'].flatMap((namespace) =>
      api.all(Pod, namespace).map(({ metadata }) => `${namespace}/${metadata.name}`),
    );
  return { api, timers, start, declare, pods };
};

describe('startManager() with namespaces', () => {
  it('startManager() works in the named namespaces and nowhere else', async () => {
    const { api, timers, start, declare, pods } = world({ namespaces: ['blue', 'red'] });
    declare('default', 'no');
    declare('blue', 'early');
    const manager = start();
    await manager.started;
    declare('red', 'late');
    await timers.advance(1000);
    expect(pods()).toEqual(['blue/early', 'red/late']);
    expect(api.requests.filter(({ verb }) => verb === 'list')).toHaveLength(6);
    expect(Object.keys(manager.inspect().watches).toSorted()).toEqual([
      'pods v1 in blue',
      'pods v1 in red',
      'resourcequotas v1 in blue',
      'resourcequotas v1 in red',
      'shelves.demo.example.com demo.example.com/v1 in blue',
      'shelves.demo.example.com demo.example.com/v1 in red',
    ]);
    await manager.stop();
  });

  it('startManager() keeps what it knows of one namespace when another is listed anew', async () => {
    const { api, timers, start, declare, pods } = world({ namespaces: ['blue', 'red'] });
    declare('blue', 'a');
    declare('red', 'b');
    const manager = start();
    await timers.advance(1000);
    const writes = api.writes.length;
    const gone = new ApiError('watch pods', { httpStatus: 410, reason: 'Expired', message: 'too old' });
    let left = 3;
    api.refuse = ({ verb }) => (verb === 'watch' && (left -= 1) >= 0 ? gone : undefined);
    await timers.advance(3_600_000);
    expect(left).toBeLessThan(0);
    expect({ pods: pods(), writes: api.writes.length }).toEqual({ pods: ['blue/a', 'red/b'], writes });
    await manager.stop();
  });

  it.each([
    { namespaces: [], says: 'namespaces is empty' },
    { namespaces: ['A'], says: 'namespaces has "A"' },
  ])('startManager() refuses $namespaces before it reads anything', ({ namespaces, says }) => {
    const { api, start } = world({ namespaces });
    expect(start).toThrow(ConfigurationError);
    expect(start).toThrow(says);
    expect(api.requests).toEqual([]);
  });
});
