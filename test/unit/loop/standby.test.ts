import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { KubeApi, WatchEvent } from '#lib/kube/interface/api.ts';
import type { Acquired } from '#lib/loop/election/leadership.ts';
import { type Manager, startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

const shelves = refOf(shelf);

/** A loop that stands by, and everything that it asks for: `list`, `list 1`, `watch-list` or `watch`, with the resource. */
const world = async (reads: readonly KindRef[] = []) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  api.sendsBookmarks = true;
  api.makeNamespace('other');
  const { promise: acquired, resolve } = Promise.withResolvers<Acquired>();
  const lead = (aloneSinceMs = timers.elapsed()): void => resolve({ aloneSinceMs });
  const requests: string[] = [];
  /** While they are held back, watches bring nothing: all watches, or those of one resource. */
  const held: { is: boolean | string; readonly events: (() => void)[] } = { is: false, events: [] };
  /** The resource that the operator has no rights to read. */
  const refused: { is?: string } = {};
  const ask = (request: string, plural: string): void => {
    requests.push(`${request} ${plural}`);
    if (refused.is === plural) throw new ApiError('ask', { httpStatus: 403, reason: 'Forbidden', message: 'no' });
  };
  const client: KubeApi = {
    ...api.client,
    list: async (resource, options) => {
      ask(`list${options?.limit === 1 ? ' 1' : ''}`, resource.plural);
      return api.client.list(resource, options);
    },
    watch: async (resource, options, onEvent) => {
      ask(`watch${options.resourceVersion === undefined ? '-list' : ''}`, resource.plural);
      const deliver = (event: WatchEvent): void => {
        if (held.is === true || held.is === resource.plural) held.events.push(() => onEvent(event));
        else onEvent(event);
      };
      return api.client.watch(resource, options, deliver);
    },
  };
  const looks: string[] = [];
  const kind = shelfThat((seen) => {
    looks.push(seen.resource.metadata.name);
    for (const read of reads) seen.related.list(read);
    return shelf.desired(seen);
  });
  const log = createLogger('silent');
  const leadership = { acquired, mayWrite: () => true, untilMayWrite: async () => undefined };
  const declare = (name: string, books: readonly string[] = []): void => {
    const { apiVersion, kind: word } = shelves;
    api.put(shelves, { apiVersion, kind: word, metadata: { name, namespace: 'default' }, spec: { books } });
  };
  declare('old', ['a']);
  const manager = startManager({
    kinds: [{ ...kind, reads }],
    api: client,
    timers,
    random: () => 0.5,
    log,
    leadership,
  });
  await timers.advance(1000);
  requests.length = 0;
  const letThrough = (): void => {
    held.is = false;
    held.events.splice(0).forEach((deliver) => deliver());
  };
  const podNames = (): string[] => api.all(Pod).map(({ metadata }) => metadata.name);
  return { timers, api, manager, lead, reads: requests, held, refused, letThrough, looks, declare, podNames };
};

const queueOf = (manager: Manager) => manager.inspect().controllers[0]?.queue;

const Elsewhere = elsewhere(ConfigMap, { namespaces: ['other'] });

describe('startManager() as a standby', () => {
  it('startManager() calls no function before its caches hold what the last leader wrote elsewhere', async () => {
    const { timers, api, manager, lead, held, letThrough, looks, podNames } = await world([Elsewhere]);
    held.is = 'configmaps';
    api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new', namespace: 'other' } });
    lead();
    await timers.advance(1900);
    expect(looks).toEqual([]);
    letThrough();
    await timers.advance(1000);
    expect(podNames()).toEqual(['a']);
    await manager.stop();
  });

  it('startManager() takes over without the objects elsewhere that it has no rights to read any more', async () => {
    const { timers, api, manager, lead, refused, looks } = await world([Elsewhere]);
    refused.is = 'configmaps';
    api.breakWatches();
    lead();
    await timers.advance(60_000);
    expect(new Set(looks)).toEqual(new Set(['old']));
    const lost = manager.problems().filter(({ trouble }) => trouble?.cause === 'refused');
    expect(lost).toMatchObject([{ resource: 'configmaps read elsewhere', namespace: 'other' }]);
    await manager.stop();
  });

  it('startManager() queues nothing before it leads, however much comes and goes, and then looks at what is there, once', async () => {
    const { timers, api, manager, lead, looks, declare, podNames } = await world();
    for (let number = 0; number < 300; number += 1) {
      declare(`job-${number}`);
      api.vanish(shelves, `job-${number}`);
    }
    declare('new', ['b']);
    await timers.advance(5000);
    expect(queueOf(manager)?.ready).toEqual({});
    expect(queueOf(manager)?.delays).toEqual({});
    expect(api.writes).toEqual([]);
    lead();
    await timers.advance(10_000);
    expect([...new Set(looks)].toSorted()).toEqual(['new', 'old']);
    expect(podNames()).toEqual(['a', 'b']);
    await manager.stop();
  });

  it('startManager() lists nothing when it takes over with live watches: it asks for one object each, and resumes them', async () => {
    const { timers, manager, lead, reads, declare, podNames } = await world();
    declare('new', ['b']);
    lead();
    await timers.advance(1500);
    expect(podNames()).toEqual(['a', 'b']);
    const asked = reads.filter((read) => !read.endsWith('resourcequotas')).toSorted();
    expect(asked.filter((read) => !read.startsWith('watch '))).toEqual(['list 1 pods', 'list 1 shelves']);
    expect(asked.filter((read) => read.startsWith('watch ')).length).toBeLessThanOrEqual(2);
    await manager.stop();
  });

  it('startManager() asks nothing when the lease was free since before its lists began', async () => {
    const { timers, manager, lead, reads, podNames } = await world();
    lead(-1);
    await timers.advance(1000);
    expect([reads, podNames()]).toEqual([[], ['a']]);
    await manager.stop();
  });

  it('startManager() writes nothing before its caches hold what the last leader wrote', async () => {
    const { timers, api, manager, lead, held, letThrough, declare, podNames } = await world();
    held.is = true;
    declare('new', ['b']);
    lead();
    await timers.advance(1900);
    expect([api.writes, podNames()]).toEqual([[], []]);
    letThrough();
    await timers.advance(1000);
    expect(podNames()).toEqual(['a', 'b']);
    await manager.stop();
  });

  it('startManager() lists everything when its watches do not catch up within five seconds', async () => {
    const { timers, api, manager, lead, reads, held, podNames, declare } = await world();
    held.is = true;
    declare('new', ['b']);
    api.sendsBookmarks = false;
    lead();
    await timers.advance(2500);
    expect(podNames()).toEqual([]);
    held.is = false;
    await timers.advance(2600);
    expect(podNames()).toEqual(['a', 'b']);
    expect(reads.filter((read) => read.startsWith('watch-list') && !read.endsWith('quotas')).toSorted()).toEqual([
      'watch-list pods',
      'watch-list shelves',
    ]);
    await manager.stop();
  });
});
