import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { ApiError } from '#lib/errors.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { noMetrics } from '#lib/loop/context/metrics.ts';
import { createSources } from '#lib/loop/source/sources.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';
import { shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';

const HOUR_MS = 3_600_000;
const reader = defineKind({ ...shelf, reads: [ConfigMap] });
const A = keyOf('default', 'a');

interface AuditOptions {
  readonly resyncMs?: number;
  readonly random?: () => number;
}

/** An API server, and sources that are not started yet. */
const unwatched = ({ resyncMs = HOUR_MS, random = () => 0.5 }: AuditOptions = {}) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [reader]);
  const { log, lines } = capturedLog();
  const repairs: string[] = [];
  const metrics = {
    ...noMetrics,
    watch: (resource: string) => ({
      listed: () => undefined,
      failed: () => undefined,
      repaired: (count: number) => void repairs.push(`${resource} ${count}`),
    }),
  };
  const sources = createSources([reader], { api: api.client, timers, random, log, metrics, resyncMs });
  return { timers, api, sources, lines, repairs };
};

const world = async (options: AuditOptions = {}) => {
  const { timers, api, sources, lines, repairs } = unwatched(options);
  api.put(Pod, strangersPod('a'));
  api.put(Pod, strangersPod('b'));
  sources.start();
  await sources.synced();
  await settle();
  api.requests.length = 0;
  const cache = sources.of(Pod).cache;
  const asked = (verb: string) => api.requests.filter((request) => request.verb === verb).length;
  /** Waits until the audit is over: bookmarks come each minute. */
  const audited = async () => timers.advance(HOUR_MS + 600_000);
  const errors = () => lines.filter((line) => line.includes('was repaired')).map((line) => JSON.parse(line) as object);
  return { timers, api, sources, cache, repairs, asked, audited, errors };
};

describe('Audit', () => {
  it('Audit lists metadata once an interval, reads nothing live, and reports nothing while all is the same', async () => {
    const { api, repairs, asked, audited, errors } = await world();
    await audited();
    expect({ gets: asked('get'), repairs, errors: errors() }).toEqual({ gets: 0, repairs: [], errors: [] });
    expect(api.requests.filter(({ verb, resource }) => verb === 'list' && resource === 'pods')).toHaveLength(1);
  });

  it.each([
    { drawn: 0, atMs: 0.9 * HOUR_MS },
    { drawn: 0.5, atMs: HOUR_MS },
    { drawn: 0.999, atMs: 1.0998 * HOUR_MS },
  ])('Audit begins after $atMs ms, a tenth of an hour around it, when $drawn is drawn', async ({ drawn, atMs }) => {
    const { timers, asked } = await world({ random: () => drawn });
    const lists = async (ms: number): Promise<number> => {
      await timers.advance(ms);
      return asked('list');
    };
    const before = await lists(atMs - 5000);
    expect(await lists(10_000)).toBeGreaterThan(before);
  });

  it('Audit makes no request when its interval is 0', async () => {
    const { api, timers } = await world({ resyncMs: 0 });
    await timers.advance(100 * HOUR_MS);
    expect(api.requests.filter(({ verb }) => verb === 'list' || verb === 'get')).toEqual([]);
  });

  it('Audit brings back an object that the cache has lost, wakes listeners, counts and logs it', async () => {
    const { api, sources, cache, repairs, audited, errors } = await world();
    const heard: string[] = [];
    sources.of(Pod).listen(({ after }) => heard.push(after?.metadata.name ?? '-'));
    cache.overlayGone(A, api.one(Pod, 'a').metadata.uid);
    heard.length = 0;
    await audited();
    expect({ held: cache.get(A)?.metadata.name, heard, repairs }).toEqual({
      held: 'a',
      heard: ['a'],
      repairs: ['pods 1'],
    });
    expect(errors()).toMatchObject([{ level: 'error', resource: 'pods', count: 1, names: ['a'] }]);
  });

  it('Audit takes over the newer state of an object whose event was lost', async () => {
    const { api, cache, repairs, audited } = await world();
    const stale = cache.get(A);
    api.edit(Pod, 'a', (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { is: 'new' } } }));
    await settle();
    // The state of the cache as if the event had never come: the object is removed, and added again in its old state.
    cache.event({ type: 'DELETED', object: api.one(Pod, 'a') });
    cache.event({ type: 'ADDED', object: stale as never });
    cache.event({ type: 'BOOKMARK', resourceVersion: api.resourceVersion });
    await audited();
    expect(cache.get(A)?.metadata.labels).toEqual({ is: 'new' });
    expect(repairs).toEqual(['pods 1']);
  });

  it('Audit removes an object whose deletion was lost', async () => {
    const { api, cache, repairs, audited } = await world();
    const pod = api.one(Pod, 'a');
    api.vanish(Pod, 'a');
    await settle();
    cache.event({ type: 'ADDED', object: pod });
    cache.event({ type: 'BOOKMARK', resourceVersion: api.resourceVersion });
    await audited();
    expect({ held: cache.get(A), repairs }).toEqual({ held: undefined, repairs: ['pods 1'] });
  });

  it('Audit takes what changes while it is under way for no difference', async () => {
    const { api, cache, repairs, audited, timers } = await world();
    let turn = 0;
    const churn = (): void => {
      turn += 1;
      api.put(Pod, strangersPod(`pod-${turn}`));
      if (turn > 1) api.vanish(Pod, `pod-${turn - 1}`);
      api.edit(Pod, 'a', (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { turn: `${turn}` } } }));
    };
    api.before = ({ verb, resource }) => (verb === 'list' && resource === 'pods' ? churn() : undefined);
    api.loseAnswer = ({ verb, resource }) => void (verb === 'list' && resource === 'pods' && churn());
    await timers.advance(HOUR_MS - 1);
    await audited();
    expect({ repairs, size: cache.size }).toEqual({ repairs: [], size: 3 });
  });

  it('Audit repairs nothing that a live read does not confirm', async () => {
    const { api, cache, repairs, audited } = await world();
    cache.overlayGone(A, api.one(Pod, 'a').metadata.uid);
    const refusal = new ApiError('get', { httpStatus: 404, reason: 'NotFound', message: '404 page not found' });
    api.refuse = ({ verb }) => (verb === 'get' ? refusal : undefined);
    await audited();
    expect({ held: cache.get(A), repairs }).toEqual({ held: undefined, repairs: [] });
  });

  it('Audit brings nothing back whose deletion the watch reports during the live read', async () => {
    const { api, cache, repairs, audited } = await world();
    cache.overlayGone(A, api.one(Pod, 'a').metadata.uid);
    api.loseAnswer = () => undefined;
    const get = api.client.get.bind(api.client);
    (api.client as { get: typeof get }).get = async (resource, target) => {
      const answer = await get(resource, target);
      if (resource.plural === 'pods') api.vanish(Pod, 'a');
      await settle();
      return answer;
    };
    await audited();
    expect({ held: cache.get(A), repairs }).toEqual({ held: undefined, repairs: [] });
  });

  it('Audit lists anew what the operator may list and not get', async () => {
    const { api, sources, audited, asked, repairs } = await world();
    const note = api.put(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'note', namespace: 'default' },
    });
    await settle();
    const { cache } = sources.of(ConfigMap);
    cache.overlayGone(keyOf('default', 'note'), note.metadata.uid);
    await audited();
    expect({ held: cache.size, gets: asked('get'), repairs }).toEqual({ held: 1, gets: 0, repairs: ['configmaps 1'] });
  });

  it('Audit tries again at its next time when its list was refused, and ends with its source', async () => {
    const { api, sources, cache, repairs, audited, timers } = await world();
    cache.overlayGone(A, api.one(Pod, 'a').metadata.uid);
    api.refuse = ({ verb }) =>
      verb === 'list' ? new ApiError('list', { httpStatus: 503, reason: 'x', message: 'x' }) : undefined;
    await audited();
    expect({ held: cache.get(A), repairs }).toEqual({ held: undefined, repairs: [] });
    api.refuse = () => undefined;
    await audited();
    expect(repairs).toEqual(['pods 1']);
    await sources.stop();
    api.requests.length = 0;
    await timers.advance(10 * HOUR_MS);
    expect(api.requests).toEqual([]);
  });

  it('Audit compares nothing while the first list of its watch has not succeeded', async () => {
    const { timers, api, sources, lines } = unwatched();
    api.refuse = () => new ApiError('list', { httpStatus: 503, reason: 'x', message: 'x' });
    sources.start();
    await timers.advance(2 * HOUR_MS);
    expect(lines.filter((line) => line.includes('could not be compared'))).toEqual([]);
    await sources.stop();
  });

  it('Audit looks at the definition of its own kind as well', async () => {
    const { api, sources, audited, repairs } = await world();
    const { apiVersion, kind } = refOf(reader);
    const metadata = { name: 'mine', namespace: 'default' };
    const mine = api.put(refOf(reader), { apiVersion, kind, metadata, spec: { books: [] } });
    await settle();
    sources.of(refOf(reader)).cache.overlayGone(keyOf('default', 'mine'), mine.metadata.uid);
    await audited();
    expect(repairs).toEqual(['shelves.demo.example.com 1']);
  });
});
