import { describe, expect, it } from 'vitest';
import { ApiError, ConfigurationError } from '#lib/errors.ts';
import { ConfigMap, type KubeObject } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { flag, fleet } from '#test/unit/support/fleet-kind.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { namespaceTerminating, refusingIn } from '#test/unit/support/server-answers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const Fleet = refOf(fleet);
const Flag = refOf(flag);
const log = createLogger('silent');

/** A fleet that has a harbour only in namespaces with a chart. */
const charted: typeof fleet = {
  ...fleet,
  desired: (seen) => {
    const { children, ...rest } = fleet.desired(seen);
    const isCharted = ({ object: { metadata } }: (typeof children)[number]): boolean =>
      metadata?.namespace === undefined || seen.related.get(ConfigMap, `${metadata.namespace}/chart`) !== undefined;
    return { ...rest, children: children.filter(isCharted) };
  },
};

/** A loop at work on a cluster with the namespaces `a` and `b`, and one fleet. */
const sea = async (spec: object, kind = fleet) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [fleet, flag]);
  for (const name of ['a', 'b']) api.makeNamespace(name);
  startManager({ kinds: [kind], api: api.client, timers, random: () => 0.5, log });
  api.put(Fleet, { apiVersion: Fleet.apiVersion, kind: 'Fleet', metadata: { name: 'north' }, spec });
  await timers.advance(2000);
  const harbours = () => ['a', 'b', 'default'].filter((namespace) => api.all(ConfigMap, namespace).length > 0);
  const status = () => api.one(Fleet, 'north')['status'] as Readonly<Record<string, unknown>>;
  const act = async (what: () => void, ms = 5000): Promise<void> => {
    what();
    await timers.advance(ms);
  };
  return { api, harbours, status, act };
};

const spec = (colour: string, ...harbours: string[]) => ({ colour, harbours });

describe('a cluster-scoped kind', () => {
  it('has cluster-scoped children, and children of the same name in several namespaces', async () => {
    const { api, harbours, status } = await sea(spec('red', 'a', 'b'));
    expect(api.all(Flag)).toMatchObject([{ metadata: { name: 'north', ownerReferences: [{ kind: 'Fleet' }] } }]);
    expect(harbours()).toEqual(['a', 'b']);
    expect(status()).toMatchObject({ harbours: 'a b', observedGeneration: 1 });
    expect(status()['conditions']).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });

  it('rests when nothing changes', async () => {
    const { api, act } = await sea(spec('red', 'a', 'b'));
    api.requests.length = 0;
    await act(() => undefined);
    expect(api.requests.filter(({ verb }) => verb !== 'watch')).toEqual([]);
  });

  it('brings back a child that was deleted in a namespace', async () => {
    const { api, harbours, act } = await sea(spec('red', 'a', 'b'));
    await act(() => api.vanish(ConfigMap, 'harbour', { namespace: 'b' }));
    expect(harbours()).toEqual(['a', 'b']);
  });

  it('prunes in one namespace alone, and changes a cluster-scoped child', async () => {
    const { api, harbours, status, act } = await sea(spec('red', 'a', 'b'));
    await act(() => api.edit(Fleet, 'north', (object) => ({ ...object, spec: spec('blue', 'b') })));
    expect(harbours()).toEqual(['b']);
    expect(api.one(Flag, 'north')['spec']).toEqual({ colour: 'blue' });
    expect(status()).toMatchObject({ harbours: 'b' });
  });

  it('sees what it reads in all namespaces, and wakes when it changes', async () => {
    const { api, status, act } = await sea(spec('red', 'a', 'b'));
    const chart = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chart', namespace: 'b' } };
    await act(() => api.put(ConfigMap, chart));
    expect(status()).toMatchObject({ visible: 'b' });
  });

  it('reports the namespace in which a foreign object has the name', async () => {
    const { api, status, act } = await sea(spec('red', 'a'));
    await act(() => {
      api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'harbour', namespace: 'b' } });
      api.edit(Fleet, 'north', (object) => ({ ...object, spec: spec('red', 'a', 'b') }));
    });
    const conditions = status()['conditions'] as readonly { type: string; reason: string; message: string }[];
    expect(conditions.find(({ type }) => type === 'Stalled')).toMatchObject({
      reason: 'NameConflict',
      message: 'name taken by another object: ConfigMap "b/harbour"; delete or rename that object',
    });
  });

  it('has a new child in one namespace while the API server refuses the children of another namespace', async () => {
    const { api, act } = await sea(spec('red', 'a', 'b'), charted);
    api.mutate = refusingIn('a', new ApiError('apply', { httpStatus: 403, reason: 'Forbidden', message: 'no' }));
    const chartIn = (namespace: string) => () =>
      api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chart', namespace } });
    await act(chartIn('a'), 1_200_000);
    await act(chartIn('b'));
    expect(api.all(ConfigMap, 'a').map(({ metadata }) => metadata.name)).toEqual(['chart']);
    expect(api.all(ConfigMap, 'b').map(({ metadata }) => metadata.name)).toEqual(['chart', 'harbour']);
  });

  it('has children in one namespace while another namespace is being deleted', async () => {
    const { api, harbours, act } = await sea(spec('red'));
    api.mutate = refusingIn('a', namespaceTerminating('a'));
    await act(() => api.edit(Fleet, 'north', (object) => ({ ...object, spec: spec('red', 'a') })), 500);
    const metadata = { name: 'south' };
    await act(() => api.put(Fleet, { apiVersion: Fleet.apiVersion, kind: 'Fleet', metadata, spec: spec('red', 'b') }));
    expect(harbours()).toEqual(['b']);
  });

  it.each([
    { metadata: { name: 'harbour' }, message: 'must name a namespace: the parent is cluster-scoped' },
    { metadata: { name: 'harbour', namespace: '../x' }, message: 'must name a namespace' },
  ])('is Stalled when an intent says no namespace ($message)', async ({ metadata, message }) => {
    const timers = new ManualTimers();
    const api = new FakeApi(timers, [fleet, flag]);
    const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const desired: typeof fleet.desired = (seen) => ({ ...fleet.desired(seen), children: [{ verb: 'apply', object }] });
    startManager({ kinds: [{ ...fleet, desired }], api: api.client, timers, random: () => 0.5, log });
    api.put(Fleet, { apiVersion: Fleet.apiVersion, kind: 'Fleet', metadata: { name: 'north' }, spec: spec('red') });
    await timers.advance(2000);
    expect(JSON.stringify(api.one(Fleet, 'north')['status'])).toContain(message);
  });
});

describe('kinds that meet in a process', () => {
  it('wakes the kind of a child when its parent creates and changes it', async () => {
    const timers = new ManualTimers();
    const api = new FakeApi(timers, [fleet, flag]);
    const calls: string[] = [];
    const watched: typeof flag = {
      ...flag,
      desired: (seen) => {
        calls.push(seen.resource.spec.colour);
        return flag.desired(seen);
      },
    };
    startManager({ kinds: [fleet, watched], api: api.client, timers, random: () => 0.5, log });
    api.put(Fleet, { apiVersion: Fleet.apiVersion, kind: 'Fleet', metadata: { name: 'north' }, spec: spec('red') });
    await timers.advance(2000);
    expect(api.one(Flag, 'north')['status']).toMatchObject({ observedGeneration: 1 });
    api.edit(Fleet, 'north', (object) => ({ ...object, spec: spec('blue') }));
    await timers.advance(2000);
    expect(new Set(calls)).toEqual(new Set(['red', 'blue']));
    expect(api.one(Flag, 'north')['status']).toMatchObject({ observedGeneration: 2 });
  });
});

describe('a namespaced kind', () => {
  it('may not own a cluster-scoped kind', () => {
    const timers = new ManualTimers();
    const { client } = new FakeApi(timers, []);
    const kinds = [{ ...shelf, owns: [Flag] }];
    const start = () => startManager({ kinds, api: client, timers, random: () => 0.5, log });
    expect(start).toThrow(ConfigurationError);
    expect(start).toThrow(
      'Cannot run kind "Shelf": it is namespaced and owns flags.demo.example.com, which are cluster-scoped; set scope: "Cluster"',
    );
  });
});
