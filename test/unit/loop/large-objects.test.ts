import { describe, expect, it } from 'vitest';
import { passClock } from '#lib/desired/clock.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { adopt, apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { PriorityClass } from '#lib/kind/handles/built-in-handles.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { stubState } from '#lib/loop/pass/compute/too-large.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const BYTES = 200_000;
const LARGE = 15_000;

const schema = {
  group: 'demo.example.com',
  version: 'v1',
  spec: s.object({ pages: s.int32({ minimum: 0, maximum: 100 }), length: s.int32({ minimum: 0, maximum: 100_000 }) }),
  status: s.object({ seen: s.int32() }),
} as const;

/** Owns many ConfigMaps of some size. */
const book = defineKind({
  ...schema,
  kind: 'Book',
  plural: 'books',
  owns: [ConfigMap],
  desired: ({ resource, children }) => {
    const { pages, length } = resource.spec;
    const name = (page: number): string => `${resource.metadata.name}-${page}`;
    return {
      children: Array.from({ length: pages }, (_, page) =>
        apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: name(page) },
          data: { text: 'x'.repeat(length) },
        }),
      ),
      status: { seen: children.of(ConfigMap).length },
      state: children.of(ConfigMap).length === pages ? ready('Written', 'all pages') : progressing('Writing', 'pages'),
    };
  },
});

/** A kind that looks up a ConfigMap of another owner. */
const reader = defineKind({
  ...schema,
  kind: 'Reader',
  plural: 'readers',
  owns: [],
  reads: [ConfigMap],
  desired: ({ resource, related }) => {
    const text = related.get(ConfigMap, resource.metadata.name)?.data?.['text'] ?? '';
    // A stub would be read as a ConfigMap without text.
    if (text === '') throw new TypeError('no text');
    return { children: [], status: { seen: text.length }, state: ready('Read', 'read') };
  },
});

/** A kind that looks up a ConfigMap only to report about it. */
const reporter = defineKind({
  ...schema,
  kind: 'Reporter',
  plural: 'reporters',
  owns: [],
  reads: [{ ...ConfigMap, onlyInforms: true }],
  desired: ({ resource, related }) => ({
    children: [],
    status: { seen: related.get(ConfigMap, resource.metadata.name)?.data?.['text']?.length ?? 0 },
    state: ready('Read', 'read'),
  }),
});

/** A kind that adopts the ConfigMap with the name of the resource. */
const keeper = defineKind({
  ...schema,
  kind: 'Keeper',
  plural: 'keepers',
  owns: [ConfigMap],
  orphanNames: ({ metadata }) => [metadata.name],
  desired: ({ children, orphans }) => ({
    children: [
      ...orphans.of(ConfigMap).map(adopt),
      ...children.of(ConfigMap).map(({ metadata }) =>
        apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: metadata?.name ?? '' },
        }),
      ),
    ],
    status: { seen: children.of(ConfigMap).length },
    state: ready('Kept', 'kept'),
  }),
});

const world = async (kind: AnyKindDefinition) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [kind]);
  const resource = refOf(kind);
  const declare = (name: string, spec: object = { pages: 0, length: 0 }) =>
    api.put(resource, {
      apiVersion: resource.apiVersion,
      kind: kind.kind,
      metadata: { name, namespace: 'default' },
      spec,
    });
  const putPage = (name: string, metadata: object = {}) =>
    api.put(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', ...metadata },
      data: { text: 'x'.repeat(LARGE) },
    });
  const start = async () => {
    const limits = { maxResourceBytes: BYTES, maxResourcesBytes: BYTES };
    const manager = startManager({
      kinds: [kind],
      api: api.client,
      timers,
      random: () => 0.5,
      log: createLogger('silent'),
      ...limits,
    });
    await manager.started;
    return manager;
  };
  const statusOf = (name: string) => {
    const { conditions = [], seen } = (api.one(resource, name)['status'] ?? {}) as {
      readonly seen?: number;
      readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
    };
    const stalled = conditions.find(({ type }) => type === 'Stalled');
    return { seen, reason: stalled?.status === 'True' ? stalled.reason : undefined, message: stalled?.message };
  };
  const names = () => api.all(ConfigMap).map(({ metadata }) => metadata.name);
  return { timers, api, declare, putPage, start, statusOf, names };
};

describe('children that take more memory together than there is', () => {
  it('startManager() makes their resource Stalled, reason TooLarge, names one, and prunes nothing; its neighbour converges', async () => {
    const { timers, declare, start, statusOf, names } = await world(book);
    await start();
    declare('thick', { pages: 20, length: LARGE });
    await timers.advance(10_000);
    declare('thin', { pages: 2, length: 10 });
    await timers.advance(10_000);
    expect(statusOf('thick').reason).toBe('TooLarge');
    expect(statusOf('thick').message).toMatch(
      /^the large configmaps of this namespace take more memory than is left for them in this operator, which does not hold "thick-\d+" completely; the children of the resource stay as they are\. Make these objects smaller or fewer, or raise memoryMiB of the operator$/,
    );
    expect(names()).toHaveLength(22);
    expect(statusOf('thin')).toMatchObject({ seen: 2, reason: undefined });
  });

  it('startManager() sends nothing for it at rest, and goes on within a minute when there is room', async () => {
    const { timers, api, declare, start, statusOf } = await world(book);
    await start();
    declare('first', { pages: 3, length: LARGE });
    await timers.advance(10_000);
    declare('second', { pages: 3, length: LARGE });
    await timers.advance(10_000);
    expect([statusOf('first').reason, statusOf('second').reason]).toEqual([undefined, 'TooLarge']);
    api.requests.length = 0;
    await timers.advance(3_600_000);
    expect(api.requests.filter(({ verb, name }) => name !== '' || (verb !== 'watch' && verb !== 'list'))).toEqual([]);
    api.edit(refOf(book), 'first', (object) => ({ ...object, spec: { pages: 0, length: 0 } }));
    await timers.advance(90_000);
    expect(statusOf('second')).toMatchObject({ seen: 3, reason: undefined });
  });

  it('startManager() is not disturbed by large objects of others', async () => {
    const { timers, api, declare, putPage, start, statusOf } = await world(book);
    for (let number = 0; number < 100; number += 1) putPage(`other-${number}`);
    await start();
    declare('well', { pages: 3, length: 5000 });
    await timers.advance(10_000);
    expect(statusOf('well')).toMatchObject({ seen: 3, reason: undefined });
    expect(api.requests.filter(({ verb }) => verb === 'get')).toEqual([]);
  });
});

describe('objects that are looked up and take more memory than there is', () => {
  it.each([
    { kind: ConfigMap, namespace: 'noisy', says: 'the large configmaps of this namespace take', names: '"big"' },
    {
      kind: elsewhere(ConfigMap),
      namespace: 'noisy',
      says: 'the large configmaps of namespace noisy',
      names: '"noisy/big"',
    },
    {
      kind: elsewhere(PriorityClass),
      namespace: undefined,
      says: 'priorityclasses.scheduling.k8s.io of the cluster',
      names: '"big"',
    },
  ])('are named in the state, with the namespace of an object elsewhere: $says', ({ kind, namespace, says, names }) => {
    const object = { metadata: { uid: 'u', resourceVersion: '1', namespace, name: 'big' } } as unknown as CachedObject;
    const { message } = stubState({ clock: passClock(0) }, { kind, object });
    expect(message).toContain(says);
    expect(message).toContain(names);
  });

  it('startManager() makes the resource Stalled, reason TooLarge, and calls nothing its function made of a stub an error', async () => {
    const { timers, declare, putPage, start, statusOf } = await world(reader);
    for (let number = 0; number < 50; number += 1) putPage(`page-${number}`);
    await start();
    for (let number = 0; number < 50; number += 1) declare(`page-${number}`);
    await timers.advance(10_000);
    const statuses = Array.from({ length: 50 }, (_, number) => statusOf(`page-${number}`));
    expect(new Set(statuses.map(({ reason }) => reason))).toEqual(new Set([undefined, 'TooLarge']));
    expect(statuses.every(({ seen, reason }) => (reason === undefined) === (seen === LARGE))).toBe(true);
  });

  it('startManager() leaves them out of the answers of a look-up that only informs', async () => {
    const { timers, declare, putPage, start, statusOf } = await world(reporter);
    for (let number = 0; number < 50; number += 1) putPage(`page-${number}`);
    await start();
    for (let number = 0; number < 50; number += 1) declare(`page-${number}`);
    await timers.advance(10_000);
    const statuses = Array.from({ length: 50 }, (_, number) => statusOf(`page-${number}`));
    expect(new Set(statuses.map(({ reason }) => reason))).toEqual(new Set([undefined]));
    expect(new Set(statuses.map(({ seen }) => seen))).toEqual(new Set([0, LARGE]));
  });

  it('startManager() reads them by a list of one when there is room', async () => {
    const { timers, api, declare, putPage, start, statusOf } = await world(reader);
    for (let number = 0; number < 50; number += 1) putPage(`page-${number}`);
    await start();
    for (let number = 0; number < 50; number += 1) declare(`page-${number}`);
    await timers.advance(10_000);
    const last = Array.from({ length: 50 }, (_, number) => `page-${number}`).find(
      (name) => statusOf(name).reason === 'TooLarge',
    );
    for (let number = 0; number < 50; number += 1)
      if (`page-${number}` !== last) api.remove(ConfigMap, `page-${number}`);
    await timers.advance(90_000);
    expect(statusOf(last ?? '')).toMatchObject({ seen: LARGE, reason: undefined });
  });
});

describe('an object without a controller for which there is no room', () => {
  it('startManager() does not adopt it before there is room for it', async () => {
    const { timers, api, declare, putPage, start, statusOf } = await world(keeper);
    for (let number = 0; number < 50; number += 1) putPage(`page-${number}`);
    putPage('wanted');
    await start();
    declare('wanted');
    await timers.advance(10_000);
    expect(statusOf('wanted').reason).toBe('TooLarge');
    for (let number = 0; number < 50; number += 1) api.remove(ConfigMap, `page-${number}`);
    await timers.advance(90_000);
    expect(statusOf('wanted')).toMatchObject({ seen: 1, reason: undefined });
  });
});
