import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject, ApiPage, KubeApi, WatchEvent } from '#lib/kube/interface/api.ts';
import { compareResourceVersions } from '#lib/kube/interface/resource-version.ts';
import { itWrites } from './kube-writes.ts';
import { fieldManager, refusal, shelf, shelves } from './shelves.ts';

/** An implementation of `KubeApi`, with or without a server behind it. */
export interface KubeApiUnderTest {
  readonly api: KubeApi;
  /** Creates an empty namespace. @returns its name */
  createNamespace(): Promise<string>;
  stop(): Promise<void>;
}

/** The behaviour of a server that depends on its version. */
export interface KubeApiFeatures {
  /** @default true */
  readonly watchLists?: boolean;
}

/** Reads a watch until it has delivered `count` changes; bookmarks do not count. */
const changes = async (
  api: KubeApi,
  where: { readonly namespace: string; readonly resourceVersion: string; readonly count: number },
): Promise<WatchEvent[]> => {
  const { count, ...from } = where;
  const abort = new AbortController();
  const events: WatchEvent[] = [];
  await api.watch(shelves, { ...from, timeoutSeconds: 60, signal: abort.signal }, (event) => {
    if (event.type !== 'BOOKMARK') events.push(event);
    if (events.length === count) abort.abort();
  });
  return events;
};

const brief = (events: readonly WatchEvent[]): string[] =>
  events.map((event) => (event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`));

/**
 * Tests that every implementation of `KubeApi` must pass, with or without an API server behind it.
 *
 * @param make - called once; all tests may share its server
 */
export const describeKubeApi = (
  name: string,
  make: () => Promise<KubeApiUnderTest>,
  { watchLists = true }: KubeApiFeatures = {},
): void => {
  describe(`KubeApi of ${name}`, () => {
    let server: KubeApiUnderTest;
    let api: KubeApi;
    let namespace: string;

    beforeAll(async () => {
      server = await make();
      ({ api } = server);
    });
    afterAll(async () => server?.stop());
    beforeEach(async () => {
      namespace = await server.createNamespace();
    });

    const create = async (name: string, more: object = {}): Promise<ApiObject> =>
      api.create(shelves, shelf(name, more), { namespace, fieldManager });
    const setStatus = async (name: string, status: object): Promise<ApiObject> =>
      api.patchStatus(shelves, { namespace, name }, { status }, { fieldManager });
    const pages = async (limit: number): Promise<ApiPage[]> => {
      const all = [await api.list(shelves, { namespace, limit })];
      for (let page = all[0]; page?.continueToken !== undefined; page = all.at(-1)) {
        all.push(await api.list(shelves, { namespace, limit, continueToken: page.continueToken }));
      }
      return all;
    };

    it('list() gives every object once, complete, in pages of one version when a limit is set', async () => {
      for (const letter of ['a', 'b', 'c', 'd', 'e']) await create(letter);
      const all = await pages(2);
      const items = all.flatMap((page) => page.items);
      expect(all.map((page) => page.items.length)).toEqual([2, 2, 1]);
      expect(items.map((item) => item.metadata.name)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(new Set(items.map((item) => `${item.apiVersion} ${item.kind}`))).toEqual(
        new Set([`${shelves.apiVersion} ${shelves.kind}`]),
      );
      expect(new Set(all.map((page) => page.resourceVersion)).size).toBe(1);
    });

    it('list() shows what was just written, here and in all namespaces, not in others', async () => {
      const { metadata } = await create('a');
      const page = await api.list(shelves, { namespace });
      expect(page.items.map((item) => item.metadata.uid)).toEqual([metadata.uid]);
      expect(compareResourceVersions(page.resourceVersion, metadata.resourceVersion)).toBeGreaterThanOrEqual(0);
      expect((await api.list(shelves)).items.map((item) => item.metadata.uid)).toContain(metadata.uid);
      expect(await api.list(shelves, { namespace: await server.createNamespace() })).toMatchObject({ items: [] });
    });

    it('watch() brings what happened since, in order, when it starts from a list', async () => {
      await create('old');
      const { resourceVersion } = await api.list(shelves, { namespace });
      const { metadata } = await create('new');
      await setStatus('new', { shown: true });
      await api.delete(shelves, { namespace, name: 'new' }, { uid: metadata.uid });
      await setStatus('old', { shown: true });
      const events = await changes(api, { namespace, resourceVersion, count: 4 });
      expect(brief(events)).toEqual(['ADDED new', 'MODIFIED new', 'DELETED new', 'MODIFIED old']);
    });

    it('watch() brings the rest, nothing twice, when it resumes from an event', async () => {
      const { resourceVersion } = await api.list(shelves, { namespace });
      for (const letter of ['a', 'b', 'c']) await create(letter);
      const [first] = await changes(api, { namespace, resourceVersion, count: 1 });
      const reached = first?.type === 'ADDED' ? first.object.metadata.resourceVersion : '';
      const rest = await changes(api, { namespace, resourceVersion: reached, count: 2 });
      expect(brief(rest)).toEqual(['ADDED b', 'ADDED c']);
    });

    it.runIf(watchLists)(
      'watch() without a version brings everything, as fresh as a list, then what happens',
      async () => {
        await create('elsewhere');
        namespace = await server.createNamespace();
        for (const letter of ['a', 'b']) await create(letter, { labels: { letter } });
        const { metadata } = await setStatus('a', { shown: true });
        const abort = new AbortController();
        const events: WatchEvent[] = [];
        const watch = api.watch(shelves, { namespace, timeoutSeconds: 60, signal: abort.signal }, (event) => {
          events.push(event);
          if (event.type === 'BOOKMARK' && event.endsInitialEvents) void create('c');
          if (brief([event])[0] === 'ADDED c') abort.abort();
        });
        await watch;
        expect(brief(events)).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK', 'ADDED c']);
        const [first, , end] = events;
        expect(first).toMatchObject({ object: { metadata, status: { shown: true } } });
        const reached = end?.type === 'BOOKMARK' ? end.resourceVersion : '';
        expect(compareResourceVersions(reached, metadata.resourceVersion)).toBeGreaterThanOrEqual(0);
        expect(brief(await changes(api, { namespace, resourceVersion: reached, count: 1 }))).toEqual(['ADDED c']);
      },
    );

    it.runIf(watchLists)(
      'watch() without a version brings the end of everything at once when there is nothing',
      async () => {
        const abort = new AbortController();
        const events: WatchEvent[] = [];
        await api.watch(shelves, { namespace, timeoutSeconds: 60, signal: abort.signal }, (event) => {
          events.push(event);
          abort.abort();
        });
        expect(events).toEqual([{ type: 'BOOKMARK', endsInitialEvents: true, resourceVersion: expect.any(String) }]);
      },
    );

    it('watch() rejects with 410 Expired when it starts from a version that is too old', async () => {
      await create('a');
      expect(await refusal(changes(api, { namespace, resourceVersion: '1', count: 1 }))).toBe('410 Expired');
    });

    it('watch() resolves when its signal aborts and nothing ever happened', async () => {
      const { resourceVersion } = await api.list(shelves, { namespace });
      const abort = new AbortController();
      const options = { namespace, resourceVersion, timeoutSeconds: 60, signal: abort.signal };
      const watch = api.watch(shelves, options, () => {});
      await create('a');
      abort.abort();
      expect(await watch).toBeUndefined();
    });

    it('create() and get() give the object as the server has it when all is well', async () => {
      const created = await create('a');
      expect(created).toMatchObject({ ...shelf('a'), metadata: { name: 'a', namespace } });
      expect(await api.get(shelves, { namespace, name: 'a' })).toEqual(created);
    });

    it('create() rejects with 409 AlreadyExists when the name is taken', async () => {
      await create('a');
      expect(await refusal(create('a'))).toBe('409 AlreadyExists');
    });

    it('get(), patchStatus() and delete() reject with 404 NotFound when there is no such object', async () => {
      const missing = { namespace, name: 'missing' };
      expect(await refusal(api.get(shelves, missing))).toBe('404 NotFound');
      expect(await refusal(setStatus('missing', {}))).toBe('404 NotFound');
      expect(await refusal(api.delete(shelves, missing, { uid: 'any' }))).toBe('404 NotFound');
    });

    it('patchStatus() merges into the status and leaves the rest alone', async () => {
      const created = await create('a');
      await setStatus('a', { books: 3, label: 'x' });
      const patch = { spec: { size: 9 }, status: { label: null, phase: 'Ready' } };
      const patched = await api.patchStatus(shelves, { namespace, name: 'a' }, patch, { fieldManager });
      expect(patched['status']).toEqual({ books: 3, phase: 'Ready' });
      expect(patched['spec']).toEqual(created['spec']);
      expect(
        compareResourceVersions(patched.metadata.resourceVersion, created.metadata.resourceVersion),
      ).toBeGreaterThan(0);
    });

    it('patchStatus() leaves the version as it is when nothing changes', async () => {
      await create('a');
      const [first, second] = [await setStatus('a', { books: 3 }), await setStatus('a', { books: 3 })];
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    it('patchStatus() rejects with 409 Conflict when the resourceVersion in the patch is not the latest', async () => {
      const created = await create('a');
      const { resourceVersion } = (await setStatus('a', { books: 3 })).metadata;
      const send = async (version: string): Promise<ApiObject> => {
        const patch = { metadata: { resourceVersion: version }, status: { books: 4 } };
        return api.patchStatus(shelves, { namespace, name: 'a' }, patch, { fieldManager });
      };
      expect(await refusal(send(created.metadata.resourceVersion))).toBe('409 Conflict');
      expect((await api.get(shelves, { namespace, name: 'a' }))['status']).toEqual({ books: 3 });
      expect((await send(resourceVersion))['status']).toEqual({ books: 4 });
    });

    it('patchStatus() is not stopped by a uid of another object: only the resourceVersion protects', async () => {
      const { metadata } = await create('a');
      const patch = { metadata: { uid: '00000000-0000-0000-0000-000000000000' }, status: { books: 3 } };
      const patched = await api.patchStatus(shelves, { namespace, name: 'a' }, patch, { fieldManager });
      expect([patched.metadata.uid, patched['status']]).toEqual([metadata.uid, { books: 3 }]);
    });

    it('delete() resolves with nothing and the object is gone when nothing holds it', async () => {
      const { metadata } = await create('a');
      const { uid, resourceVersion } = metadata;
      expect(await api.delete(shelves, { namespace, name: 'a' }, { uid, resourceVersion })).toBeUndefined();
      expect(await refusal(api.get(shelves, { namespace, name: 'a' }))).toBe('404 NotFound');
    });

    it('delete() rejects with 409 Conflict and the object stays when a precondition fails', async () => {
      const { metadata } = await create('a');
      const target = { namespace, name: 'a' };
      expect(await refusal(api.delete(shelves, target, { uid: 'other' }))).toBe('409 Conflict');
      const stale = { uid: metadata.uid, resourceVersion: '1' };
      expect(await refusal(api.delete(shelves, target, stale))).toBe('409 Conflict');
      expect((await api.get(shelves, target)).metadata.uid).toBe(metadata.uid);
    });

    it('delete() resolves with the terminating object when a finalizer holds it', async () => {
      const { metadata } = await create('a', { finalizers: ['contract.example.com/hold'] });
      const left = await api.delete(shelves, { namespace, name: 'a' }, { uid: metadata.uid });
      expect(left?.metadata.uid).toBe(metadata.uid);
      expect(left?.metadata.deletionTimestamp).toBeDefined();
      expect(await api.get(shelves, { namespace, name: 'a' })).toEqual(left);
    });

    itWrites(() => ({ api, namespace }));
  });
};
