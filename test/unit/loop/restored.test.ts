import { describe, expect, it } from 'vitest';
import { ConnectionError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { Evidence } from '#lib/loop/cache/restored/restores.ts';
import { noMetrics } from '#lib/loop/context/metrics.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const shelves = refOf(shelf);
const RESTORED = 'the storage of the API server was restored from a backup, reading everything again';
/** The version from which etcd continues after the restore, so that it assigns no version twice. */
const BUMPED = '1000000';

/** Names and uids of pods. */
const ids = (pods: readonly ApiObject[]): string[] => pods.map(({ metadata: { name, uid } }) => `${name} ${uid}`);

const cut = (): ConnectionError => new ConnectionError('the API server is away');

/** Shelves that are kept, filled, emptied, removed and created after a snapshot, by a running loop. */
const world = async ({ watchLists = true, ageMs = 5000 } = {}) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  api.sendsBookmarks = true;
  const { log, lines } = capturedLog('info');
  const restores: string[] = [];
  const metrics = { ...noMetrics, restored: (by: string) => void restores.push(by) };
  const put = (name: string, ...books: string[]): ApiObject =>
    api.put(shelves, {
      apiVersion: shelves.apiVersion,
      kind: shelf.kind,
      metadata: { name, namespace: 'default' },
      spec: { books: books.map((book) => `${name}-${book}`) },
    });
  const edit = (name: string, ...books: string[]): void =>
    api.edit(shelves, name, (object) => ({ ...object, spec: { books: books.map((book) => `${name}-${book}`) } }));
  for (const name of ['kept', 'filled', 'emptied', 'gone', 'again']) put(name, 'a', 'b');
  const manager = startManager({
    kinds: [shelf],
    api: api.client,
    timers,
    random: () => 0.5,
    log,
    metrics,
    watchLists,
  });
  await timers.advance(ageMs);
  const snapshot = api.snapshot();
  const podsThen = snapshot.stored.filter(({ kind }) => kind === 'Pod');
  edit('filled', 'a', 'b', 'c');
  edit('emptied', 'a');
  for (const name of ['gone', 'again']) {
    for (const book of ['a', 'b']) api.vanish(Pod, `${name}-${book}`);
    api.vanish(shelves, name);
  }
  await timers.advance(5000);
  put('again', 'x', 'y', 'z');
  put('born', 'a', 'b');
  await timers.advance(5000);
  const lost = new Set(['again', 'born'].map((name) => api.one(shelves, name).metadata.uid));
  api.requests.length = 0;
  const count = (name: string): unknown => (api.one(shelves, name)['status'] as { count?: number }).count;
  /** Children of resources that the API server does not know; checked after each create. */
  const orphans: string[] = [];
  const { before } = api;
  api.before = async (request) => {
    await before(request);
    if (request.verb !== 'create' || request.resource !== 'pods') return;
    const names = api.all(shelves).map(({ metadata }) => metadata.name);
    const known = api
      .all(shelves)
      .some(({ metadata }) => request.name.startsWith(metadata.name) && !lost.has(metadata.uid));
    if (!known) orphans.push(`${request.name}, of ${names.join()}`);
  };
  const warnings = (): number => lines.filter((line) => line.includes(RESTORED)).length;
  const asThen = () => expect(ids(api.all(Pod)).toSorted()).toEqual(ids(podsThen).toSorted());
  return { timers, api, manager, snapshot, edit, put, restores, warnings, orphans, asThen, count, lines };
};

const evidence: Evidence = { by: 'lease', resource: 'leases.coordination.k8s.io', seen: '130', shown: '88' };

describe('startManager() when storage was restored', () => {
  it.each([{ watchLists: true }, { watchLists: false }])(
    'startManager() follows the snapshot when storage goes on from a higher version, with $watchLists watch-lists',
    async (options) => {
      const { timers, api, manager, snapshot, restores, warnings, orphans, asThen, count, edit } = await world(options);
      api.refuse = cut;
      api.breakWatches();
      await timers.advance(3000);
      api.restoreStorage(snapshot, BUMPED);
      api.refuse = () => undefined;
      await timers.advance(30_000);
      asThen();
      expect({ orphans, restores, warnings: warnings() }).toEqual({ orphans: [], restores: ['list'], warnings: 1 });
      expect([count('filled'), count('emptied')]).toEqual([2, 2]);
      edit('kept', 'a', 'b', 'c');
      await timers.advance(5000);
      expect(count('kept')).toBe(3);
      await manager.stop();
    },
  );

  it('startManager() makes nothing of what a list of children has lost before it knows whether their resource is there', async () => {
    const { timers, api, manager, snapshot, orphans, asThen } = await world();
    api.refuse = cut;
    api.breakWatches();
    await timers.advance(3000);
    api.restoreStorage(snapshot, BUMPED);
    api.refuse = ({ verb, resource }) =>
      ['watch', 'list'].includes(verb) && resource.startsWith('shelves') ? cut() : undefined;
    await timers.advance(60_000);
    expect([orphans, api.writes]).toEqual([[], []]);
    api.refuse = () => undefined;
    await timers.advance(60_000);
    asThen();
    expect(orphans).toEqual([]);
    await manager.stop();
  });

  it('startManager() follows the snapshot and gets events again when the lease shows a restore that its watches do not show', async () => {
    const { timers, api, manager, snapshot, warnings, restores, orphans, asThen, edit, count } = await world();
    api.restoreStorage(snapshot);
    manager.storageRestored(evidence, timers.elapsed() - 2000);
    await timers.advance(5000);
    asThen();
    expect({ orphans, restores, warnings: warnings() }).toEqual({ orphans: [], restores: ['lease'], warnings: 1 });
    edit('kept', 'a', 'b', 'c');
    await timers.advance(2000);
    expect(count('kept')).toBe(3);
    await manager.stop();
  });

  it('startManager() believes a list of the restored storage also where that has given versions away again', async () => {
    const { timers, api, manager, snapshot, asThen, edit, count } = await world();
    api.restoreStorage(snapshot);
    for (let number = 0; number < 200; number += 1) api.editStatus(shelves, 'kept', { note: `${number}` });
    manager.storageRestored(evidence, timers.elapsed() - 2000);
    await timers.advance(5000);
    asThen();
    edit('filled', 'a');
    await timers.advance(5000);
    expect(count('filled')).toBe(1);
    await manager.stop();
  });

  it('startManager() follows the snapshot after a silence when nothing else shows the restore', async () => {
    const { timers, api, manager, snapshot, asThen, warnings } = await world({ ageMs: 120_000 });
    api.restoreStorage(snapshot);
    await timers.advance(180_000);
    asThen();
    expect(warnings()).toBe(1);
    await manager.stop();
  });

  it('startManager() lists each resource once for one restore, whatever shows it, and at rest nothing', async () => {
    const { timers, api, manager, snapshot, restores } = await world();
    api.restoreStorage(snapshot);
    const lists = (): number => api.requests.filter(({ verb }) => verb === 'list').length;
    const lastSeenMs = timers.elapsed() - 2000;
    manager.storageRestored(evidence, lastSeenMs);
    await timers.advance(100);
    manager.storageRestored(evidence, lastSeenMs);
    await timers.advance(60_000);
    expect([restores, lists()]).toEqual([['lease'], 3]);
    api.requests.length = 0;
    await timers.advance(200_000);
    expect(api.requests).toEqual([]);
    await manager.stop();
  });
});
