import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { DIGEST_ANNOTATION } from '#lib/desired/canonical/digest.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ControllerRevision, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { passRecordOf } from '#lib/loop/record/pass-record.ts';
import { album, albumThat } from '#test/unit/support/album-kind.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { serverBusy } from '#test/unit/support/server-answers.ts';

const LARGE = 50_000;

const world = (kind: AnyKindDefinition = album) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [kind]);
  const resource = refOf(kind);
  const decisions: DecidedPass[] = [];
  const { log, lines } = capturedLog();
  const start = async () => {
    const manager = startManager({
      kinds: [kind],
      api: api.client,
      timers,
      random: () => 0.5,
      log,
      onDecision: (decision) => decisions.push(decision),
    });
    await manager.started;
    return manager;
  };
  const put = (spec: object) =>
    api.put(resource, {
      apiVersion: resource.apiVersion,
      kind: kind.kind,
      metadata: { name: 'a', namespace: 'default' },
      spec,
    });
  const edit = (spec: object) => api.edit(resource, 'a', (object) => ({ ...object, spec }));
  const gets = () => api.requests.filter(({ verb }) => verb === 'get').length;
  const status = () => api.one(resource, 'a')['status'] as Record<string, unknown>;
  return { timers, api, start, put, edit, gets, status, decisions, lines };
};

describe('large data of ControllerRevisions', () => {
  it('startManager() does not hold them, and reads nothing as long as no function looks at them, restarts included', async () => {
    const { timers, start, put, gets, decisions } = world();
    const first = await start();
    put({ length: LARGE });
    await timers.advance(10_000);
    await first.stop();
    await start();
    await timers.advance(10_000);
    expect(gets()).toBe(0);
    const [child] = decisions.at(-1)?.seen.children ?? [];
    expect(child?.object).not.toHaveProperty('data');
    expect(child?.object.metadata?.annotations?.[DIGEST_ANNOTATION]).toHaveLength(43);
  });

  it('startManager() reads them once when the function looks at them, and gives them to the same pass', async () => {
    const { timers, start, put, edit, gets, status, decisions } = world();
    await start();
    put({ length: LARGE });
    await timers.advance(10_000);
    const before = decisions.length;
    edit({ length: LARGE, reads: true });
    await timers.advance(10_000);
    expect(status()['seen']).toBe(String(LARGE));
    expect(decisions[before]?.wanted.desired.status).toEqual({ seen: String(LARGE) });
    expect(gets()).toBe(1);
    await timers.advance(3_600_000);
    expect(gets()).toBe(1);
  });

  it('startManager() reads small ones from the cache', async () => {
    const { timers, start, put, edit, gets, status } = world();
    await start();
    put({ length: 1000 });
    await timers.advance(10_000);
    edit({ length: 1000, reads: true });
    await timers.advance(10_000);
    expect({ seen: status()['seen'], gets: gets() }).toEqual({ seen: '1000', gets: 0 });
  });

  it('startManager() calls a function again that caught the error of its look', async () => {
    const hiding = albumThat((seen) => {
      try {
        return album.desired(seen);
      } catch {
        return album.desired({
          ...seen,
          resource: { ...seen.resource, spec: { ...seen.resource.spec, reads: false } },
        });
      }
    });
    const { timers, start, put, edit, status } = world(hiding);
    await start();
    put({ length: LARGE });
    await timers.advance(10_000);
    edit({ length: LARGE, reads: true });
    await timers.advance(10_000);
    expect(status()['seen']).toBe(String(LARGE));
  });

  it('startManager() tries again when they cannot be read, and fails nothing', async () => {
    const { timers, api, start, put, edit, gets, status, lines } = world();
    await start();
    put({ length: LARGE });
    await timers.advance(10_000);
    let refusals = 2;
    api.refuse = ({ verb }) => (verb === 'get' && refusals-- > 0 ? serverBusy(1) : undefined);
    edit({ length: LARGE, reads: true });
    await timers.advance(60_000);
    expect({ seen: status()['seen'], gets: gets() }).toEqual({ seen: String(LARGE), gets: 3 });
    const entries = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const about = entries.filter(({ msg }) => msg === 'cannot read an object that is too large for the cache');
    expect(about).toMatchObject(
      Array.from({ length: 2 }, () => ({ key: 'default/a', error: { code: 'TooManyRequests' } })),
    );
    expect(entries.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('recordOf() holds them when the function looked at them, and their digest otherwise', async () => {
    const { timers, start, put, edit, decisions } = world();
    await start();
    put({ length: LARGE });
    await timers.advance(10_000);
    const dataIn = () =>
      passRecordOf(decisions.at(-1) as DecidedPass, 1).children.map(
        ({ object }) => 'data' in JSON.parse(JSON.stringify(object)),
      );
    expect(dataIn()).toEqual([false]);
    edit({ length: LARGE, reads: true });
    await timers.advance(10_000);
    expect(dataIn()).toEqual([true]);
  });

  it('startManager() believes no annotation of that name that a client has set', async () => {
    const { timers, api, start, put, decisions } = world();
    await start();
    put({ length: 10 });
    await timers.advance(10_000);
    const annotations = { [DIGEST_ANNOTATION]: 'forged' };
    api.edit(ControllerRevision, 'a', (object) => ({ ...object, metadata: { ...object.metadata, annotations } }));
    await timers.advance(10_000);
    const [child] = decisions.at(-1)?.seen.children ?? [];
    expect(child?.object.metadata?.annotations?.[DIGEST_ANNOTATION]).toBeUndefined();
    expect(child?.object).toMatchObject({ data: { text: 'xxxxxxxxxx' } });
  });
});

const PAGE_BYTES = 900_000;

interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** An album with three large ControllerRevisions, of which it reads as many as `length`. */
const threePages = albumThat(({ resource: { metadata, spec }, children }) => {
  const pages = children.of(ControllerRevision).slice(0, spec.reads ? spec.length : 0);
  const texts = pages.map(({ data }) => (data as { readonly text: string }).text);
  const objects = [0, 1, 2].map((index) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: `${metadata.name}-${index}` },
    revision: index,
    data: { text: 'x'.repeat(PAGE_BYTES) },
  }));
  return {
    children: objects.map((object) => apply(object)),
    status: { seen: `${texts.join('').length}` },
    state: ready('Complete', 'complete'),
  };
});

it('startManager() keeps a resource Stalled, reason TooLarge, as long as its function reads more than 2 MiB at once', async () => {
  const { timers, start, put, edit, status } = world(threePages);
  const statusIn = async (ms: number) => {
    await timers.advance(ms);
    const { seen, conditions } = status();
    const stalled = (conditions as StatusCondition[]).find(
      ({ type, status: value }) => type === 'Stalled' && value === 'True',
    );
    return { seen, stalled: stalled?.reason };
  };
  await start();
  put({ length: 3 });
  await timers.advance(10_000);
  edit({ length: 2, reads: true });
  expect(await statusIn(10_000)).toEqual({ seen: String(2 * PAGE_BYTES), stalled: undefined });
  edit({ length: 3, reads: true });
  for (let minute = 0; minute < 20; minute += 1)
    expect(await statusIn(60_000)).toEqual({ seen: String(2 * PAGE_BYTES), stalled: 'TooLarge' });
  edit({ length: 1, reads: true });
  expect(await statusIn(60_000)).toEqual({ seen: String(PAGE_BYTES), stalled: undefined });
});

const templateOf = (image: string) => ({
  spec: { containers: [{ name: 'a', image, env: [{ name: 'X', value: 'x'.repeat(LARGE) }] }] },
});

describe('a PodSet with a large template', () => {
  it('PodSet knows the revision of its template by its digest: no request at a restart, no second snapshot', async () => {
    const { timers, api, start, put, gets, status } = world(podSet);
    const first = await start();
    put({ replicas: 2, template: templateOf('a:1') });
    await timers.advance(10_000);
    await first.stop();
    api.requests.length = 0;
    await start();
    await timers.advance(10_000);
    expect({ gets: gets(), writes: api.writes }).toEqual({ gets: 0, writes: [] });
    expect(api.all(ControllerRevision)).toHaveLength(1);
    expect(status()['replicas']).toBe(2);
  });

  it('PodSet rolls out, and back to the snapshot that it has', async () => {
    const { timers, api, start, put, edit } = world(podSet);
    await start();
    put({ replicas: 1, template: templateOf('a:1') });
    await timers.advance(10_000);
    const names = () => api.all(ControllerRevision).map(({ metadata }) => metadata.name);
    const [original] = names();
    edit({ replicas: 1, template: templateOf('a:2') });
    await timers.advance(120_000);
    const after = names();
    expect(after).toHaveLength(2);
    edit({ replicas: 1, template: templateOf('a:1') });
    await timers.advance(120_000);
    expect(names()).toEqual(after);
    const hashes = api.all(Pod).map(({ metadata }) => (metadata as { labels?: Record<string, string> }).labels);
    expect(hashes.map((labels) => `a-${labels?.['controller-revision-hash']}`)).toEqual([original]);
  });
});
