import { describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerEvent } from '#lib/apiserver/machinery/request.ts';
import { brief, objectIn, ServerBench } from '../support/server-bench.ts';

/** Sets the label `app` of an object; watches select the value `x`. */
const label = (bench: ServerBench, name: string, app: string): string =>
  objectIn(bench.merge(name, { metadata: { labels: { app } } })).metadata.resourceVersion;

// Events of kube-apiserver 1.36.4.
describe('watch', () => {
  it('createApiServer() sends what happens, in order, and the rest when resumed', () => {
    const bench = new ServerBench();
    const start = bench.server.resourceVersion;
    const { events } = bench.watch({ resourceVersion: start });
    bench.create('a');
    bench.create('b');
    label(bench, 'a', 'x');
    bench.delete('b');
    const from = Number(start);
    expect(brief(events)).toEqual([
      `ADDED a@${from + 1}`,
      `ADDED b@${from + 2}`,
      `MODIFIED a@${from + 3}`,
      `DELETED b@${from + 4}`,
    ]);
    const resumed = bench.watch({ resourceVersion: String(from + 2) });
    expect(resumed.events).toEqual(events.slice(2));
    const [last] = resumed.events.slice(-1);
    expect(last).toMatchObject({ object: { spec: { size: 1 } } });
  });

  it('createApiServer() sends an object that comes into sight as added and one that goes as deleted', () => {
    const bench = new ServerBench();
    bench.create('a', { labels: { app: 'x' } });
    const { events } = bench.watch({ resourceVersion: bench.server.resourceVersion, labelSelector: 'app=x' });
    const [out, back] = [label(bench, 'a', 'z'), label(bench, 'a', 'x')];
    expect(brief(events)).toEqual([`DELETED a@${out}`, `ADDED a@${back}`]);
    expect(events[0]).toMatchObject({ object: { metadata: { labels: { app: 'x' } } } });
  });

  it('createApiServer() sends one object only when a name is selected or named', () => {
    const bench = new ServerBench();
    const { resourceVersion } = bench.server;
    const selected = bench.watch({ resourceVersion, fieldSelector: 'metadata.name=b' });
    const named = bench.watch({ resourceVersion, name: 'b' });
    bench.create('a');
    bench.create('b');
    expect(brief(selected.events)).toEqual(['ADDED b@102']);
    expect(named.events).toEqual(selected.events);
    expect(() => bench.watch({ name: 'b', fieldSelector: 'metadata.name=a' })).toThrow(
      "fieldSelector metadata.name doesn't match requested name",
    );
  });

  it('createApiServer() keeps namespaces apart, and shows all without one', () => {
    const bench = new ServerBench(undefined, { namespaces: ['default', 'other'] });
    const { resource } = bench;
    const { resourceVersion } = bench.server;
    const all: ServerEvent[] = [];
    bench.server.watch({ resource, resourceVersion }, (event) => all.push(event));
    const { events } = bench.watch({ resourceVersion });
    bench.create('a', {}, { namespace: 'other' });
    bench.create('b');
    expect([brief(events), brief(all)]).toEqual([['ADDED b@102'], ['ADDED a@101', 'ADDED b@102']]);
  });

  it.each([undefined, '0'])('createApiServer() sends what there is first when the version is %s', (resourceVersion) => {
    const bench = new ServerBench();
    bench.create('b');
    bench.create('a');
    const version = resourceVersion === undefined ? {} : { resourceVersion };
    expect(brief(bench.watch(version).events)).toEqual(['ADDED a@102', 'ADDED b@101']);
    const { events } = bench.watch({ ...version, allowWatchBookmarks: true });
    expect(events.at(-1)).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Shelf',
        apiVersion: 'lib.example.com/v1',
        metadata: { resourceVersion: '102', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
  });

  it('createApiServer() sends no initial events when they are not wanted', () => {
    const bench = new ServerBench();
    bench.create('a');
    const { events } = bench.watch({ sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' });
    bench.create('b');
    expect(brief(events)).toEqual(['ADDED b@102']);
  });

  it('createApiServer() fails in the stream when a version is too old', () => {
    const bench = new ServerBench();
    const first = bench.watch({ resourceVersion: '1' });
    expect(brief(first.events)).toEqual(['ERROR too old resource version: 1 (100)']);
    expect(first.events[0]?.object).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });
    bench.create('a');
    expect(first.events).toHaveLength(1);
    const then = bench.server.resourceVersion;
    bench.create('b');
    bench.server.compact(bench.server.resourceVersion);
    expect(brief(bench.watch({ resourceVersion: then }).events)).toEqual(['ERROR too old resource version: 101 (102)']);
    expect(bench.watch({ resourceVersion: '102' }).events).toEqual([]);
  });

  it('createApiServer() forgets old changes when there are many', () => {
    const bench = new ServerBench(undefined, { historyLimit: 3 });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) bench.create(name);
    expect(brief(bench.watch({ resourceVersion: '102' }).events)).toEqual([
      'ERROR too old resource version: 102 (103)',
    ]);
    expect(bench.watch({ resourceVersion: '103' }).events).toHaveLength(4);
    expect([
      bench.server.objectsAt(bench.resource, '102'),
      bench.server.objectsAt(bench.resource, '103')?.length,
    ]).toEqual([undefined, 3]);
  });

  it('createApiServer() waits for a future version, or says so when what there is was asked for', () => {
    const bench = new ServerBench();
    const waiting = bench.watch({ resourceVersion: '102' });
    bench.create('a');
    bench.create('b');
    bench.create('c');
    expect(brief(waiting.events)).toEqual(['ADDED c@103']);
    const request = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: '999' } as const;
    expect(brief(bench.watch(request).events)).toEqual([
      'ERROR Timeout: Too large resource version: 999, current: 103',
    ]);
  });

  it.each([
    [{ sendInitialEvents: true }, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    [
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    [
      { resourceVersion: 'abc' },
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [
      { resource: { group: '', version: 'v1', plural: 'nodes' } },
      'the virtual cluster does not implement the resource nodes',
    ],
    [{ resource: { group: 'x.y', version: 'v1', plural: 'z' } }, 'the server could not find the requested resource'],
  ])('createApiServer() opens no watch for %j', (request, expected) => {
    expect(() => new ServerBench().watch(request)).toThrow(expected);
  });

  it('bookmark() sends the version reached, to watches with bookmarks', () => {
    const bench = new ServerBench();
    const { resourceVersion } = bench.server;
    const [some, none] = [
      bench.watch({ resourceVersion, allowWatchBookmarks: true }),
      bench.watch({ resourceVersion }),
    ];
    bench.create('a');
    for (const watch of [some, none]) watch.bookmark();
    expect([brief(some.events), brief(none.events)]).toEqual([['ADDED a@101', 'BOOKMARK @101'], ['ADDED a@101']]);
  });

  it('close() ends the events', () => {
    const bench = new ServerBench();
    const watch = bench.watch({ allowWatchBookmarks: true, resourceVersion: bench.server.resourceVersion });
    watch.close();
    bench.create('a');
    watch.bookmark();
    expect(watch.events).toEqual([]);
  });

  it('createApiServer() sends events to all watchers in order when one of them writes', () => {
    const bench = new ServerBench();
    const { resource } = bench;
    const { resourceVersion } = bench.server;
    bench.server.watch({ resource, resourceVersion }, ({ object }) => {
      if ((object as ServerObject).metadata.name === 'a') bench.create('b');
    });
    const { events } = bench.watch({ resourceVersion });
    bench.create('a');
    expect(brief(events)).toEqual(['ADDED a@101', 'ADDED b@102']);
  });
});
