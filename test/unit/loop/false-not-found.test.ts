import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, type ReconcileError } from '#lib/errors.ts';
import { type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { sourceId } from '#lib/loop/source/needs.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi, type FakeRequest } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

/** A 404 that is a proxy's page, or about a version that is not served. */
const strayNotFound = (): ApiError =>
  new ApiError('ask', { httpStatus: 404, reason: 'NotFound', message: '404 page not found' });

/** The 404 of kube-apiserver about an object: correct, or wrong without the subresource. */
const notFound = ({ resource, name }: FakeRequest): ApiError =>
  new ApiError('ask', {
    httpStatus: 404,
    reason: 'NotFound',
    message: `${resource} "${name}" not found`,
    subject: { name, kind: resource.split('.')[0] ?? '' },
  });

/** Fails each request once. */
const once = (fails: (request: FakeRequest) => ReconcileError | undefined) => {
  let isOver = false;
  return (request: FakeRequest): ReconcileError | undefined => {
    const error = isOver ? undefined : fails(request);
    isOver ||= error !== undefined;
    return error;
  };
};

/** Puts something between the loop and the API server. */
type Through = (client: KubeApi, timers: ManualTimers, api: FakeApi) => KubeApi;

const world = async (through: Through = (client) => client) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  const shelves = refOf(shelf);
  const { apiVersion } = shelves;
  const metadata = { name: 'shelf', namespace: 'default' };
  api.put(shelves, { apiVersion, kind: shelf.kind, metadata, spec: { books: ['a'] } });
  const log = createLogger('silent');
  const manager = startManager({
    kinds: [shelf],
    api: through(api.client, timers, api),
    timers,
    random: () => 0.5,
    log,
  });
  await timers.advance(5000);
  const edit = (...books: string[]) => api.edit(shelves, 'shelf', (object) => ({ ...object, spec: { books } }));
  const podNames = () => api.all(Pod).map(({ metadata: { name } }) => name);
  const gone = (of: Pick<KindRef, 'apiVersion' | 'plural'> = shelves) =>
    manager.inspect().watches[sourceId(of)]?.cache.gone;
  const count = () => (api.one(shelves, 'shelf')['status'] as { count?: number }).count;
  return { timers, api, manager, edit, podNames, gone, count };
};

describe('a 404 that is not about the object', () => {
  it.each([
    ['a proxy that has no backend', strayNotFound],
    ['a definition without the subresource status', notFound],
  ])('startManager() goes on with a resource whose status was answered 404 once, by %s', async (_, error) => {
    const { timers, api, edit, podNames, gone, count } = await world();
    api.refuse = once((request) => (request.verb === 'patchStatus' ? error(request) : undefined));
    edit('a', 'b');
    await timers.advance(5000);
    expect({ pods: podNames(), count: count(), gone: gone() }).toEqual({ pods: ['a', 'b'], count: 2, gone: [] });
    edit('a', 'b', 'c');
    await timers.advance(5000);
    expect({ pods: podNames(), count: count() }).toEqual({ pods: ['a', 'b', 'c'], count: 3 });
  });

  it('startManager() goes on with a resource when every request was answered 404 for a while', async () => {
    const { timers, api, edit, podNames, gone } = await world();
    api.refuse = ({ verb }) => (verb === 'watch' ? undefined : strayNotFound());
    edit('a', 'b');
    await timers.advance(10_000);
    api.refuse = () => undefined;
    await timers.advance(30_000);
    expect({ pods: podNames(), gone: gone() }).toEqual({ pods: ['a', 'b'], gone: [] });
  });

  it('startManager() takes a resource up again when its own live read was answered 404 by mistake, and it is edited', async () => {
    const { timers, api, edit, podNames } = await world();
    api.refuse = (request) =>
      request.resource.startsWith('shelves') && request.verb !== 'watch' ? notFound(request) : undefined;
    edit('a', 'b');
    await timers.advance(5000);
    api.refuse = () => undefined;
    edit('a', 'b', 'c');
    await timers.advance(5000);
    expect(podNames()).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['names nothing', strayNotFound],
    ['names it', notFound],
  ])('startManager() settles when a child in doubt is answered by a 404 that %s and is wrong', async (_, error) => {
    const { timers, api, edit, podNames, count, gone } = await world();
    api.loseAnswer = once(({ verb }) => (verb === 'create' ? new ConnectionError('lost') : undefined));
    api.refuse = once((request) =>
      request.verb === 'get' && request.resource === 'pods' ? error(request) : undefined,
    );
    edit('a', 'b');
    await timers.advance(2000);
    api.requests.length = 0;
    await timers.advance(60_000);
    expect({ pods: podNames(), count: count(), gone: gone(Pod), requests: api.requests.length }).toEqual({
      pods: ['a', 'b'],
      count: 2,
      gone: [],
      requests: 0,
    });
  });
});

/** Maximum number of answered creates, so that a test without delays between creates ends, too. */
const MANY = 100;

/** An API that answers the creates of pods without storing them, so that no list and no watch shows the pods. */
const forgetful = ({ client, timers, resourceVersion, isTaken }: Forgetful): Forgotten => {
  const createdAt: number[] = [];
  const answers = new Map<string, ApiObject>();
  const create: KubeApi['create'] = async (kind, object, options) => {
    if (kind.kind !== Pod.kind) return client.create(kind, object, options);
    createdAt.push(timers.elapsed());
    if (createdAt.length > MANY) return new Promise(() => undefined);
    const { metadata, ...rest } = await client.create(kind, object, { ...options, dryRun: true });
    const answer = { ...rest, metadata: { ...metadata, resourceVersion } };
    answers.set(answer.metadata.name, answer);
    if (!isTaken) return answer;
    throw new ApiError('create', { httpStatus: 409, reason: 'AlreadyExists', message: 'pods "a" already exists' });
  };
  const get: KubeApi['get'] = async (kind, target) => answers.get(target.name) ?? client.get(kind, target);
  return { client: { ...client, create, get }, createdAt };
};

interface Forgetful {
  readonly client: KubeApi;
  readonly timers: ManualTimers;
  /** The resource version in the answers to creates, which every list includes. */
  readonly resourceVersion: string;
  /** Answers that the name is taken; a live read shows the object. */
  readonly isTaken: boolean;
}

interface Forgotten {
  readonly client: KubeApi;
  readonly createdAt: readonly number[];
}

describe('a create that the next snapshot cannot show', () => {
  it.each([
    { isTaken: false, reason: 'its answer is not shown by the cache' },
    { isTaken: true, reason: 'its name is taken by a child of ours that the cache does not show' },
  ])('startManager() tries it again after a growing delay when $reason', async ({ isTaken }) => {
    let createdAt: readonly number[] = [];
    const { timers } = await world((client, clock, { resourceVersion }) => {
      const api = forgetful({ client, timers: clock, resourceVersion, isTaken });
      ({ createdAt } = api);
      return api.client;
    });
    await timers.advance(60_000);
    const gaps = createdAt.slice(1).map((at, index) => at - (createdAt[index] as number));
    expect(createdAt.length).toBeGreaterThan(5);
    expect(createdAt.length).toBeLessThan(15);
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
    expect(gaps.at(-1)).toBeGreaterThan(10_000);
  });
});
