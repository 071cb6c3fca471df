import { expect, it } from 'vitest';
import type { ApiObject, KubeApi, WatchEvent } from '#lib/kube/interface/api.ts';
import { fieldManager, refusal, shelf, shelves } from './shelves.ts';

const other = '00000000-0000-0000-0000-000000000000';

interface Ground {
  readonly api: KubeApi;
  readonly namespace: string;
}

/** Tests of apply, patch, dry runs and label selectors. @param ground - called within each test */
export const itWrites = (ground: () => Ground): void => {
  const create = async (name: string, more: object = {}, dryRun = false): Promise<ApiObject> => {
    const { api, namespace } = ground();
    return api.create(shelves, shelf(name, more), { namespace, fieldManager, dryRun });
  };
  const get = async (name: string): Promise<ApiObject> => ground().api.get(shelves, { ...ground(), name });
  const applied = async (
    spec: object,
    { metadata = {}, ...options }: { metadata?: object; force?: boolean; dryRun?: boolean; fieldManager?: string } = {},
  ): Promise<ApiObject> => {
    const { api, namespace } = ground();
    const { apiVersion, kind } = shelves;
    const object = { apiVersion, kind, metadata: { name: 'a', namespace, ...metadata }, spec };
    return api.apply(shelves, { namespace, name: 'a' }, object, { fieldManager, force: true, ...options });
  };

  it('apply() creates, and only creates when it asks for resourceVersion "1"', async () => {
    const first = await applied({ size: 1 }, { metadata: { resourceVersion: '1' } });
    expect([first['spec'], await get('a')]).toEqual([{ size: 1 }, first]);
    expect(await refusal(applied({ size: 2 }, { metadata: { resourceVersion: '1' } }))).toBe('409 Conflict');
    expect((await get('a'))['spec']).toEqual({ size: 1 });
  });

  it('apply() changes what it says, removes what it said before, and leaves the version alone when nothing changes', async () => {
    await applied({ size: 1, colour: 'red' });
    const changed = await applied({ size: 2 });
    expect(changed['spec']).toEqual({ size: 2 });
    expect((await applied({ size: 2 })).metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
  });

  it('apply() with a uid changes only that object: 409 when it is gone, 422 when another has its name', async () => {
    expect(await refusal(applied({ size: 1 }, { metadata: { uid: other } }))).toBe('409 Conflict');
    const { uid } = (await create('a')).metadata;
    expect(await refusal(applied({ size: 2 }, { metadata: { uid: other } }))).toBe('422 Invalid');
    expect((await applied({ size: 2 }, { metadata: { uid } }))['spec']).toEqual({ size: 2 });
  });

  it('apply() without force rejects with 409 when another manager has set the field to another value', async () => {
    await applied({ size: 1 }, { fieldManager: 'somebody' });
    expect(await refusal(applied({ size: 2 }, { force: false }))).toBe('409 Conflict');
    expect((await applied({ size: 2 }, { force: true }))['spec']).toEqual({ size: 2 });
  });

  it('apply() and create() store nothing in a dry run', async () => {
    expect((await create('a', {}, true)).metadata.uid).toBeDefined();
    expect(await refusal(get('a'))).toBe('404 NotFound');
    const { metadata } = await create('a');
    expect((await applied({ size: 2 }, { dryRun: true }))['spec']).toEqual({ size: 2 });
    expect((await get('a')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('patch() of type merge changes only the object of its uid and version', async () => {
    const { api, namespace } = ground();
    const { metadata } = await create('a');
    const patch = async (demands: object): Promise<ApiObject> => {
      const body = { metadata: { ...demands, labels: { a: 'b' } } };
      return api.patch(shelves, { namespace, name: 'a' }, body, { type: 'merge', fieldManager });
    };
    expect(await refusal(patch({ resourceVersion: '1' }))).toBe('409 Conflict');
    expect(await refusal(patch({ uid: other }))).toMatch(/^(409|422)/);
    const { uid, resourceVersion } = metadata;
    expect((await patch({ uid, resourceVersion })).metadata).toMatchObject({ uid, labels: { a: 'b' } });
  });

  it('patch() of type json does nothing when a test in it fails', async () => {
    const { api, namespace } = ground();
    await create('a', { finalizers: ['contract.example.com/hold'] });
    const removeFinalizer = async (value: string): Promise<ApiObject> => {
      const path = '/metadata/finalizers/0';
      const body = [
        { op: 'test', path, value },
        { op: 'remove', path },
      ];
      return api.patch(shelves, { namespace, name: 'a' }, body, { type: 'json', fieldManager });
    };
    expect(await refusal(removeFinalizer('contract.example.com/other'))).toBe('422 Invalid');
    expect((await removeFinalizer('contract.example.com/hold')).metadata).not.toHaveProperty('finalizers');
  });

  it('list() and watch() show what a label selector selects, and nothing else', async () => {
    const { api, namespace } = ground();
    await create('a', { labels: { tier: 'web' } });
    const labelSelector = 'tier=web';
    const { items, resourceVersion } = await api.list(shelves, { namespace, labelSelector });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a']);
    await create('b', { labels: { tier: 'db' } });
    await create('c', { labels: { tier: 'web' } });
    const events: WatchEvent[] = [];
    const abort = new AbortController();
    const options = { namespace, labelSelector, resourceVersion, timeoutSeconds: 60, signal: abort.signal };
    await api.watch(shelves, options, (event) => {
      if (event.type === 'BOOKMARK') return;
      events.push(event);
      abort.abort();
    });
    expect(events.map((event) => (event.type === 'BOOKMARK' ? '' : event.object.metadata.name))).toEqual(['c']);
  });
};
