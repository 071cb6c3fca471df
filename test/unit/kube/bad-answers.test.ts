import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ReconcileError } from '#lib/errors.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import { list, pods, setUp } from './client-fixture.ts';
import { sendJson } from './http-server.ts';
import { manualTimers, settle } from './manual-timers.ts';
import { storeOf } from './reflector-fixture.ts';

const pod = (name: string, resourceVersion: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion, ...more },
});

const line = (type: unknown, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const good = (name: string, version: string): string => line('ADDED', pod(name, version));

/** Follows a server that sends the given answers to lists and watches, in order, and then no more answers. */
const follow = async (answers: readonly ((response: ServerResponse) => void)[]) => {
  const left = [...answers];
  const timers = manualTimers();
  const { client, server } = await setUp((_, response) => {
    const answer = left.shift();
    if (answer) answer(response);
    else response.writeHead(200).flushHeaders();
  });
  const store = storeOf();
  const [errors, refusals]: [ReconcileError[], ReconcileError[]] = [[], []];
  const reflector = startReflector({
    api: client,
    resource: pods,
    sink: store,
    timers,
    random: () => 0,
    watchLists: new WatchLists({ isOff: true }),
    onError: (error) => errors.push(error),
    onRefused: (error) => refusals.push(error),
  });
  /** Waits until `requests` requests have been handled. The delays between them are virtual. */
  const after = async (requests: number): Promise<void> => {
    while (server.received.length < requests || left.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await timers.advance(1000);
    }
    await settle();
  };
  const seen = async (names: readonly string[]): Promise<void> => {
    while (store.names().join() !== names.join()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { reflector, store, errors, refusals, after, seen };
};

const listing =
  (...items: unknown[]) =>
  (response: ServerResponse): void =>
    sendJson(response, list(...(items as object[])));

const watching =
  (...parts: readonly (string | Buffer)[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200);
    for (const part of parts) response.write(part);
  };

const without = (member: string): object => ({
  ...pod('bad', '8'),
  metadata: { ...pod('bad', '8').metadata, [member]: undefined },
});

const unusable: readonly (readonly [what: string, object: unknown, reason: string])[] = [
  ['that is null', null, 'it is not an object'],
  ['that is a text', 'pod', 'it is not an object'],
  ['without metadata', { apiVersion: 'v1', kind: 'Pod' }, 'it has no metadata'],
  ['without a name', without('name'), 'metadata.name is missing'],
  ['without a uid', without('uid'), 'metadata.uid is missing'],
  ['without a version', without('resourceVersion'), 'metadata.resourceVersion is missing'],
  ['whose version is a number', pod('bad', 8 as never), 'metadata.resourceVersion is missing or not a string'],
  ['whose labels are a list', pod('bad', '8', { labels: ['a'] }), 'metadata.labels is not an object of strings'],
  [
    'whose owners are one object',
    pod('bad', '8', { ownerReferences: { uid: 'u' } }),
    'not an array of owner references',
  ],
  ['with an owner that is null', pod('bad', '8', { ownerReferences: [null] }), 'not an array of owner references'],
  [
    'whose deletion has no time',
    pod('bad', '8', { deletionTimestamp: 7 }),
    'metadata.deletionTimestamp is not a string',
  ],
];

describe('what an API server should not send', () => {
  it.each(unusable)(
    'an object %s is left out of lists and watches, reported once, and affects no other',
    async (_, bad, reason) => {
      const { reflector, store, errors, refusals, seen } = await follow([
        listing(pod('a', '3'), bad, bad, pod('b', '4')),
        watching(line('ADDED', bad), line('MODIFIED', bad), good('c', '11')),
      ]);
      await seen(['a@3', 'b@4', 'c@11']);
      expect(store.seen).toEqual(['replace 9', 'ADDED']);
      expect(errors).toEqual([]);
      expect(refusals.map(({ message }) => message)).toEqual([expect.stringContaining(reason)]);
      await reflector.stop();
    },
  );

  it.each([
    { what: 'an unknown type', text: line('OTHER', pod('x', '10')) },
    { what: 'no type', text: line(undefined, pod('x', '10')) },
    { what: 'a type of a megabyte', text: line('x'.repeat(1_000_000), pod('x', '10')) },
    { what: 'no object', text: '{"type":"ADDED"}\n' },
    { what: 'JSON that is no event', text: '[1,2]\n' },
    { what: 'a bookmark without a version', text: line('BOOKMARK', { metadata: {} }) },
  ])('an event with $what is left out, reported once, and affects no other', async ({ text }) => {
    const { reflector, errors, refusals, seen } = await follow([listing(), watching(text, text, good('c', '11'))]);
    await seen(['c@11']);
    expect(errors).toEqual([]);
    expect(refusals).toHaveLength(1);
    expect(refusals[0]?.message.length).toBeLessThan(300);
    await reflector.stop();
  });

  it.each([
    { what: 'a line that is not JSON', parts: ['<html>\n'] },
    { what: 'a broken event', parts: ['{"type":"ADDED","obj}\n'] },
  ])('$what makes it list again, as the line would come again', async ({ parts }) => {
    const { reflector, errors, refusals, seen, after } = await follow([
      listing(),
      watching(...parts, good('never', '11')),
      listing(pod('a', '12')),
    ]);
    await after(4);
    await seen(['a@12']);
    expect([errors.length, refusals]).toEqual([1, []]);
    await reflector.stop();
  });

  it('an event that is cut off makes it resume where it was', async () => {
    const { reflector, errors, seen, after } = await follow([
      listing(),
      (response) => void response.writeHead(200).end(`${good('a', '11')}{"type":"ADDED","object":{"met`),
      watching(good('b', '12')),
    ]);
    await after(3);
    await seen(['a@11', 'b@12']);
    expect(errors).toHaveLength(1);
    await reflector.stop();
  });

  it.each([
    { what: 'items that are no array', body: { metadata: { resourceVersion: '9' }, items: { a: 1 } } },
    { what: 'no version', body: { metadata: {}, items: [] } },
    { what: 'a version that is a number', body: { metadata: { resourceVersion: 9 }, items: [] } },
    { what: 'no metadata', body: { items: [] } },
    { what: 'nothing but a number', body: 7 },
  ])('a list with $what is asked for again', async ({ body }) => {
    const { reflector, errors, seen, after } = await follow([
      (response) => sendJson(response, body),
      listing(pod('a', '3')),
    ]);
    await after(3);
    await seen(['a@3']);
    expect(errors).toHaveLength(1);
    await reflector.stop();
  });

  it('versions beyond 2^53 are kept to the last digit', async () => {
    const huge = '184467440737095516150';
    const { reflector, errors, seen } = await follow([
      listing(),
      watching(good('a', huge), line('MODIFIED', pod('a', `${huge}1`))),
    ]);
    await seen([`a@${huge}1`]);
    expect([reflector.inspect().resourceVersion, errors]).toEqual([`${huge}1`, []]);
    await reflector.stop();
  });

  it('an object of 3 MB is taken', async () => {
    const big = { ...pod('big', '11'), data: 'x'.repeat(3_000_000) };
    const { reflector, errors, seen } = await follow([listing(), watching(line('ADDED', big), good('c', '12'))]);
    await seen(['big@11', 'c@12']);
    expect(errors).toEqual([]);
    await reflector.stop();
  });

  it('bytes that are no UTF-8 are replaced, and the rest is taken', async () => {
    const [before, after] = line('ADDED', pod('a', '11', { annotations: { text: '<>' } })).split('<>') as [
      string,
      string,
    ];
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from(after)]);
    const { reflector, store, errors, seen } = await follow([listing(), watching(bytes, good('c', '12'))]);
    await seen(['a@11', 'c@12']);
    expect(store.objects.get('uid-a')?.metadata).toMatchObject({ annotations: { text: '���' } });
    expect(errors).toEqual([]);
    await reflector.stop();
  });
});
