import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply, remove } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import { fieldManagerOf } from '#lib/loop/cache/field-manager.ts';
import { cutBelow } from '#lib/loop/cache/size/size-of.ts';
import { excessOf, MAX_LEVELS } from '#lib/loop/cache/size/stub.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { needsOf, sourceId } from '#lib/loop/source/needs.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

/** The maximum number of levels that the API server accepts. */
const SERVER_LEVELS = 10_000;
/** More levels than an operator accepts, and fewer than the virtual API server can store. */
const DEEP = 400;

const nested = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1));
const nestedLists = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const open = s.unsafe<object>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });

const group = { group: 'demo.example.com', version: 'v1' } as const;

const lid = defineKind({
  ...group,
  kind: 'Lid',
  spec: s.object({ content: open }),
  status: s.object({}),
  owns: [],
  desired: () => ({ children: [], status: {}, state: ready('Complete', 'no children') }),
});
const lids = refOf(lid);

/** A kind with a child that has an open field. */
const box = defineKind({
  ...group,
  kind: 'Box',
  plural: 'boxes',
  spec: s.object({ note: s.string({ maxLength: 63 }), content: open }),
  status: s.object({ count: s.int32() }),
  owns: [lids],
  desired: ({ resource, children }) => ({
    children: [
      apply({
        apiVersion: lids.apiVersion,
        kind: 'Lid',
        metadata: { name: resource.metadata.name },
        spec: { content: { note: resource.spec.note } },
      }),
    ],
    status: { count: children.of(lids).length },
    state: ready('Complete', 'all declared'),
  }),
});

const finalized = defineKind({
  ...box,
  finalize: ({ resource, children }) => {
    // As a recursive function at the limit of the API server.
    if (cutBelow(resource, MAX_LEVELS) !== resource) throw new RangeError('Maximum call stack size exceeded');
    return {
      children: children.of(lids).map((child) => remove(child, `Gone${resource.spec.note}`)),
      status: { count: children.of(lids).length },
      state: progressing('Clearing', 'clearing'),
    };
  },
});

const boxes = refOf(box);

const world = async (kind: AnyKindDefinition = box) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [kind, lid]);
  const failures: string[] = [];
  const manager = startManager({
    kinds: [kind],
    api: api.client,
    timers,
    random: () => 0.5,
    log: createLogger('silent'),
    onFailure: ({ what }) => failures.push(what),
  });
  await manager.started;
  const declare = (name: string, content: unknown) =>
    api.put(boxes, {
      apiVersion: boxes.apiVersion,
      kind: 'Box',
      metadata: { name, namespace: 'default' },
      spec: { note: name, content },
    });
  const fill = (name: string, content: unknown) =>
    api.edit(boxes, name, (object) => ({ ...object, spec: { note: name, content } }));
  const stalledOf = (name: string) => {
    const { conditions = [] } = (api.one(boxes, name)['status'] ?? {}) as {
      conditions?: { type: string; status: string; reason: string; message: string }[];
    };
    return conditions.find(({ type }) => type === 'Stalled');
  };
  return { timers, api, manager, failures, declare, fill, stalledOf };
};

describe('cutBelow()', () => {
  it('cutBelow() returns the value itself when it has no more levels', () => {
    for (const value of [{ a: [{ b: 1 }], c: null }, [[[]]], 'text', null]) expect(cutBelow(value, 3)).toBe(value);
  });

  it('cutBelow() replaces what is deeper by null, and does not change the value', () => {
    const value = JSON.parse('{"a":[{"b":{}},1],"__proto__":{"c":{"d":[]}},"e":{"f":2}}') as { readonly e: object };
    const text = JSON.stringify(value);
    const cut = cutBelow(value, 3) as typeof value;
    expect(JSON.stringify(cut)).toBe('{"a":[{"b":null},1],"__proto__":{"c":{"d":null}},"e":{"f":2}}');
    expect([JSON.stringify(value), cut.e]).toEqual([text, value.e]);
  });
});

const object = (more: object, metadata: object = {}): ApiObject => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Box',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '5', ...metadata },
  ...more,
});

describe('needsOf()', () => {
  const own = needsOf([box]).get(sourceId(boxes));
  const other = needsOf([box]).get(sourceId(lids));

  it('needsOf() keeps a stub of a resource when it has more levels than the limit, up to the limit of the API server', () => {
    for (const levels of [MAX_LEVELS, 5000, SERVER_LEVELS - 1])
      for (const spec of [nested(levels), nestedLists(levels)]) {
        const stub = own?.project(object({ spec }, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['f'] }));
        expect(stub && excessOf(stub)).toEqual({ by: 'levels', limit: MAX_LEVELS });
        expect(stub).toMatchObject({
          metadata: { uid: 'u', deletionTimestamp: expect.any(String), finalizers: ['f'] },
        });
        expect(stub && own?.project(stub as ApiObject)).toBe(stub);
      }
  });

  it('needsOf() has a projection with which a cache keeps no deleted object, up to the limit of the API server', () => {
    if (own === undefined) throw new TypeError('no need');
    const stubs: boolean[] = [];
    const onChange = ({ after }: CacheChange): void => void (after && stubs.push(excessOf(after) !== undefined));
    const cache = new ObjectCache({ project: own.project, onChange });
    const deep = { spec: nested(SERVER_LEVELS - 1) };
    for (const uid of ['1', '2', '3']) {
      cache.event({ type: 'ADDED', object: object({ spec: {} }, { uid, name: uid, resourceVersion: '1' }) });
      cache.event({ type: 'MODIFIED', object: object(deep, { uid, name: uid, resourceVersion: '2' }) });
      cache.event({ type: 'DELETED', object: object(deep, { uid, name: uid, resourceVersion: '3' }) });
    }
    expect({ size: cache.size, stubs }).toEqual({ size: 0, stubs: [false, true, false, true, false, true] });
  });

  it('needsOf() keeps a resource and a child whole when they have as many levels as allowed', () => {
    const spec = nested(MAX_LEVELS - 1);
    expect(own?.project(object({ spec }))).toMatchObject({ spec });
    const data = nested(MAX_LEVELS - 1);
    expect(other?.project(object({ data }))).toMatchObject({ data });
  });

  it('needsOf() keeps a stub of a child when its data or its managed fields have too many levels', () => {
    const managedFields = [{ manager: fieldManagerOf(box), operation: 'Apply', fieldsV1: { 'f:spec': nested(9000) } }];
    const controller = { apiVersion: 'demo.example.com/v1', kind: 'Box', name: 'b', uid: 'o', controller: true };
    for (const deep of [
      object({ data: nested(9000) }),
      object({ data: {} }, { managedFields, ownerReferences: [controller] }),
    ]) {
      const stub = other?.project(deep);
      expect(stub && excessOf(stub)).toEqual({ by: 'levels', limit: MAX_LEVELS });
    }
  });

  it('needsOf() has limits that are far below the levels which Node.js can compare', () => {
    expect(isDeepStrictEqual(nested(2 * MAX_LEVELS), nested(2 * MAX_LEVELS))).toBe(true);
  });
});

describe('a resource with many levels of objects', () => {
  it('startManager() works with as many levels as allowed', async () => {
    const { timers, api, failures, declare, stalledOf } = await world();
    // The managed fields have some more levels than the spec.
    declare('a', nested(MAX_LEVELS - 10));
    await timers.advance(10_000);
    expect(api.all(lids)).toHaveLength(1);
    expect({ stalled: stalledOf('a')?.status, failures }).toEqual({ stalled: 'False', failures: [] });
  });

  it('startManager() makes it Stalled when it has more, and continues when the levels are removed', async () => {
    const { timers, api, declare, fill, stalledOf } = await world();
    declare('a', {});
    declare('b', nested(DEEP));
    await timers.advance(10_000);
    fill('a', nested(DEEP));
    await timers.advance(10_000);
    expect(stalledOf('a')).toMatchObject({
      status: 'True',
      reason: 'TooLarge',
      message:
        'the resource has more than 200 levels of objects and lists, the limit of this operator; its children stay as they are. Remove levels',
    });
    expect(stalledOf('b')?.reason).toBe('TooLarge');
    expect(api.all(lids).map(({ metadata }) => metadata.name)).toEqual(['a']);
    api.requests.length = 0;
    await timers.advance(3_600_000);
    expect(api.writes).toEqual([]);
    for (const name of ['a', 'b']) fill(name, { x: {} });
    await timers.advance(10_000);
    expect([stalledOf('a')?.status, stalledOf('b')?.status]).toEqual(['False', 'False']);
    expect(api.all(lids).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  });

  it.each([
    ['without', box],
    ['with', finalized],
  ])('startManager() forgets it when it was deleted, %s finalize()', async (_, kind) => {
    const { timers, api, manager, declare, fill } = await world(kind);
    for (const name of ['a', 'b']) {
      declare(name, {});
      await timers.advance(10_000);
      fill(name, nested(DEEP));
      await timers.advance(10_000);
      api.remove(boxes, name);
      await timers.advance(60_000);
    }
    const { objects } = manager.inspect().watches[sourceId(boxes)]?.cache ?? {};
    expect([api.all(boxes), objects]).toEqual([[], {}]);
    // Without finalize(), the garbage collector deletes the children.
    expect(api.all(lids)).toHaveLength(kind === finalized ? 0 : 2);
  });

  it('startManager() names a child that has more', async () => {
    const { timers, api, declare, stalledOf } = await world();
    declare('a', {});
    await timers.advance(10_000);
    api.edit(lids, 'a', (object) => ({ ...object, spec: { content: nested(DEEP) } }));
    await timers.advance(10_000);
    expect(stalledOf('a')?.message).toBe(
      '"a" of the lids.demo.example.com of this namespace has more than 200 levels of objects and lists, the limit of this operator; the children of the resource stay as they are. Remove levels of the object, or delete it',
    );
    api.remove(lids, 'a');
    await timers.advance(10_000);
    expect({ stalled: stalledOf('a')?.status, lids: api.all(lids).length }).toEqual({
      stalled: 'False',
      lids: 1,
    });
  });
});
