import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import type { FakeApi } from '#test/unit/support/fake-api.ts';
import { bookConfigMap, librarian } from '#test/unit/support/librarian-kind.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';

interface Library {
  readonly bench: LoopBench;
  readonly status: (name: string) => Readonly<Record<string, unknown>>;
  /** Runs an action, and returns the resources whose functions were called for it. */
  readonly callsAfter: (act: (api: FakeApi) => void) => Promise<readonly string[]>;
}

/** Librarians at rest, by name and spec. */
const library = async (specs: Readonly<Record<string, object>>): Promise<Library> => {
  const calls: string[] = [];
  const bench = new LoopBench({
    ...librarian,
    desired: (seen) => {
      calls.push(seen.resource.metadata.name);
      return librarian.desired(seen);
    },
  });
  started(bench);
  for (const [name, spec] of Object.entries(specs)) bench.declare(name, spec);
  await live(bench, 1000);
  const callsAfter = async (act: (api: FakeApi) => void): Promise<readonly string[]> => {
    calls.length = 0;
    act(bench.api);
    await live(bench, 1000);
    return [...new Set(calls)].toSorted();
  };
  return { bench, callsAfter, status: (name) => bench.statusOf(name) };
};

const relabel = (labels: Record<string, string>) => (object: KubeObject) => ({
  ...object,
  metadata: { ...object.metadata, labels },
});

const edited = (object: object) => ({ ...object, data: { text: 'second edition' } });

const putOne = (api: FakeApi) => api.put(ConfigMap, bookConfigMap('one', { labels: { tier: 'x', lang: 'en' } }));

const released = (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, ownerReferences: [] } });

const ownedBy = (uid: string) => [{ apiVersion: 'x.example.com/v1', kind: 'X', name: 'x', uid, controller: true }];

describe('Controller, related', () => {
  it('Controller wakes a resource when what it looked up in vain appears', async () => {
    const { status, callsAfter } = await library({ a: { wants: 'guide' }, b: { wants: 'atlas' } });
    expect(status('a')).toMatchObject({ wanted: 'missing' });
    expect(await callsAfter((api) => api.put(ConfigMap, bookConfigMap('guide')))).toEqual(['a']);
    expect(status('a')).toMatchObject({ wanted: 'guide' });
  });

  it('Controller wakes a resource when what it looked up changes, and when it vanishes', async () => {
    const { status, callsAfter } = await library({ a: { wants: 'guide' }, b: {} });
    await callsAfter((api) => api.put(ConfigMap, bookConfigMap('guide')));
    expect(await callsAfter((api) => api.edit(ConfigMap, 'guide', edited))).toEqual(['a']);
    expect(status('a')).toMatchObject({ wanted: 'second edition' });
    expect(await callsAfter((api) => api.vanish(ConfigMap, 'guide'))).toEqual(['a']);
    expect(status('a')).toMatchObject({ wanted: 'missing' });
  });

  it('Controller wakes a resource when the members of a list change, and no other', async () => {
    const { status, callsAfter } = await library({ a: { tier: 'x' }, b: { tier: 'y' }, c: {} });
    expect(await callsAfter(putOne)).toEqual(['a']);
    expect(status('a')).toMatchObject({ listed: 'one' });
    expect(await callsAfter((api) => api.edit(ConfigMap, 'one', relabel({ tier: 'y' })))).toEqual(['a', 'b']);
    expect([status('a'), status('b')]).toMatchObject([{ listed: '' }, { listed: 'one' }]);
  });

  it('Controller leaves a resource alone when only objects change that its last pass did not look up', async () => {
    const { bench, callsAfter } = await library({ a: { wants: 'guide', tier: 'x' } });
    await callsAfter((api) => api.put(ConfigMap, bookConfigMap('guide')));
    bench.api.makeNamespace('other');
    const elsewhere = { ...bookConfigMap('guide'), metadata: { name: 'guide', namespace: 'other' } };
    expect(await callsAfter((api) => api.put(ConfigMap, elsewhere))).toEqual([]);
    expect(await callsAfter((api) => api.put(ConfigMap, bookConfigMap('other', { labels: { tier: 'z' } })))).toEqual(
      [],
    );
    bench.edit('a', { tier: 'x' });
    bench.catchUp();
    await live(bench, 1000);
    expect(await callsAfter((api) => api.vanish(ConfigMap, 'guide'))).toEqual([]);
  });

  it('Controller remembers nothing of a resource that is gone', async () => {
    const { bench, callsAfter } = await library({ a: { wants: 'guide', tier: 'x', shelf: 's' } });
    expect(bench.context.lookups.size).toBe(3);
    await callsAfter((api) => api.vanish(bench.kind, 'a'));
    expect(bench.context.lookups.size).toBe(0);
    expect(await callsAfter((api) => api.put(ConfigMap, bookConfigMap('guide')))).toEqual([]);
  });
});

describe('Controller, orphans', () => {
  it('Controller wakes the resources whose selector matches when an orphan appears', async () => {
    const { status, callsAfter } = await library({ a: { shelf: 's' }, b: { shelf: 't' }, c: {} });
    const orphan = strangersPod('stray', { labels: { shelf: 's' } });
    expect(await callsAfter((api) => api.put(Pod, orphan))).toEqual(['a']);
    expect([status('a'), status('b'), status('c')]).toMatchObject([
      { orphans: 'stray' },
      { orphans: '' },
      { orphans: '' },
    ]);
  });

  it('Controller wakes the resources whose selector matched, or matches, when an orphan changes its labels', async () => {
    const { status, callsAfter } = await library({ a: { shelf: 's' }, b: { shelf: 't' } });
    await callsAfter((api) => api.put(Pod, strangersPod('stray', { labels: { shelf: 's' } })));
    expect(await callsAfter((api) => api.edit(Pod, 'stray', relabel({ shelf: 't' })))).toEqual(['a', 'b']);
    expect([status('a'), status('b')]).toMatchObject([{ orphans: '' }, { orphans: 'stray' }]);
  });

  it('Controller wakes the resources whose selector matches when an object loses its controller', async () => {
    const { status, callsAfter } = await library({ a: { shelf: 's' }, b: { shelf: 't' } });
    const owned = strangersPod('stray', { labels: { shelf: 's' }, ownerReferences: ownedBy('u') });
    expect(await callsAfter((api) => api.put(Pod, owned))).toEqual([]);
    expect(await callsAfter((api) => api.edit(Pod, 'stray', released))).toEqual(['a']);
    expect(status('a')).toMatchObject({ orphans: 'stray' });
  });

  it('Controller offers no orphan that is being deleted', async () => {
    const { status, callsAfter } = await library({ a: { shelf: 's' } });
    const held = strangersPod('stray', { labels: { shelf: 's' }, finalizers: ['example.com/hold'] });
    await callsAfter((api) => api.put(Pod, held));
    expect(await callsAfter((api) => api.remove(Pod, 'stray'))).toEqual(['a']);
    expect(status('a')).toMatchObject({ orphans: '' });
  });
});
