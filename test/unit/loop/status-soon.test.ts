import { expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { refOf } from '#lib/kind/names.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const SHELVES = 200;

it('startManager() writes the status of a new resource soon after its children, however many others are created at once', async () => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  const kind = refOf(shelf);
  const log = createLogger('silent');
  const manager = startManager({ kinds: [shelf], api: api.client, timers, random: () => 0.5, log, concurrency: 4 });
  await manager.started;
  for (let number = 0; number < SHELVES; number += 1)
    api.put(kind, {
      apiVersion: kind.apiVersion,
      kind: 'Shelf',
      metadata: { name: `s${number}`, namespace: 'default' },
      spec: { books: [`s${number}-a`, `s${number}-b`] },
    });
  await timers.advance(10_000);
  const distances = Array.from({ length: SHELVES }, (_, number) => {
    const created = api.writes.findIndex(({ verb, name }) => verb === 'create' && name === `s${number}-b`);
    return api.writes.findIndex(({ verb, name }) => verb === 'patchStatus' && name === `s${number}`) - created;
  });
  expect(Math.min(...distances)).toBeGreaterThan(0);
  expect(Math.max(...distances)).toBeLessThan(100);
});

it('startManager() soon forgets new resources whose status is written, however many others wait for their first pass', async () => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [podSet]);
  const kind = refOf(podSet);
  const remembered: number[] = [];
  let writes = 0;
  const client: KubeApi = {
    ...api.client,
    patchStatus: async (...args) => {
      if (writes++ % 10 === 0) {
        const memories = manager.inspect().controllers.flatMap(({ memory }) => Object.values(memory) as object[]);
        remembered.push(memories.filter((memory) => 'statusUnrest' in memory).length);
      }
      return api.client.patchStatus(...args);
    },
  };
  const log = createLogger('silent');
  const manager = startManager({ kinds: [podSet], api: client, timers, random: () => 0.5, log, concurrency: 4 });
  await manager.started;
  for (let number = 0; number < SHELVES; number += 1)
    api.put(kind, {
      apiVersion: kind.apiVersion,
      kind: 'PodSet',
      metadata: { name: `s${number}`, namespace: 'default' },
      spec: { replicas: 1 },
    });
  await timers.advance(10_000);
  expect(writes).toBeGreaterThanOrEqual(SHELVES);
  expect(Math.max(...remembered)).toBeLessThan(SHELVES / 4);
});
