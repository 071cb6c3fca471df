import { describe, expect, it } from 'vitest';
import { conflict, forbidden } from '#lib/apiserver/machinery/status.ts';
import { remove } from '#lib/desired/result/intent.ts';
import { ApiError, type ReconcileError } from '#lib/errors.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { deletionsOf } from '#test/unit/loop/pass/pass-bench.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { clearing, discard, standing } from '#test/unit/support/finalized-shelf.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf, connectionLost, internalError } from '#test/unit/support/server-answers.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';
import { wardrobe } from '#test/unit/support/wardrobe-kind.ts';

describe('createChild()', () => {
  const OLD = 'resourceVersion should not be set on objects to be created';

  it.each([
    { why: 'has another reason', refusal: internalError('no leader') },
    { why: 'is refused by admission', refusal: answerOf(forbidden({ group: '', kind: 'configmaps', name: 'w' }, OLD)) },
    { why: 'has no response', refusal: connectionLost() },
  ])('createChild() sends no POST when the apply $why', async ({ refusal }) => {
    const bench = new LoopBench(wardrobe);
    bench.declare('w', { content: { kinds: ['ConfigMap'] } });
    bench.api.refuse = ({ verb }) => (verb === 'apply' ? refusal : undefined);
    await bench.pass('w');
    expect(bench.api.writes.filter(({ resource }) => resource === 'configmaps').map(({ verb }) => verb)).toEqual([
      'apply',
    ]);
  });

  it.each([
    { kind: Pod, sent: 'a POST', message: /^Cannot create pods "default\/w": / },
    { kind: ConfigMap, sent: 'an apply', message: /^Cannot create a child: / },
  ])(
    'createChild() fails with AlreadyExists when $sent finds an object of another owner',
    async ({ kind, message }) => {
      const { log, lines } = capturedLog();
      const bench = new LoopBench(wardrobe, log);
      bench.api.put(kind, { ...strangersPod('w'), apiVersion: 'v1', kind: kind.kind });
      bench.declare('w', { content: { kinds: [kind.kind] } });
      await bench.pass('w');
      const entries = lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly error?: object });
      expect(entries.find(({ msg }) => msg === 'write refused')).toMatchObject({
        refused: 'NameConflict',
        error: { code: 'AlreadyExists', message: expect.stringMatching(message) as unknown },
      });
    },
  );
});

describe('remove()', () => {
  it.each([{ gracePeriodSeconds: 7 }, {}])(
    'remove() sends the uid, the observed version, and the grace period of the intent: %j',
    async (options) => {
      const bench = await standing(
        ({ children }) => ({
          children: children.of(Pod).map((pod) => remove(pod, 'Cleared', options)),
          status: { count: 0 },
          state: clearing,
        }),
        ['a'],
      );
      const sent = deletionsOf(bench);
      const { uid, resourceVersion } = bench.api.one(Pod, 'a').metadata;
      discard(bench);
      await bench.pass('shelf');
      expect(sent).toEqual([{ uid, resourceVersion, ...options }]);
    },
  );
});

const changedWhile = async (refusal: ReconcileError, change: (bench: LoopBench) => void = () => undefined) => {
  const bench = new LoopBench(wardrobe);
  bench.declare('w', { content: { kinds: ['ConfigMap'], data: { key: 'one' } } });
  await bench.converge('w');
  bench.edit('w', { content: { kinds: ['ConfigMap'], data: { key: 'two' } } });
  bench.catchUp();
  bench.api.refuse = ({ verb }) => (verb === 'apply' ? refusal : undefined);
  change(bench);
  bench.api.requests.length = 0;
  bench.events.length = 0;
  await bench.pass('w');
  return bench;
};

const gets = (bench: LoopBench): string[] =>
  bench.api.requests.filter(({ verb }) => verb === 'get').map(({ resource }) => resource);

const warnings = (bench: LoopBench): string[] =>
  bench.events.filter(({ type }) => type === 'Warning').map(({ reason }) => reason);

const pod = { group: '', kind: 'pods', name: 'a' };
const denied = answerOf(forbidden(pod, 'a policy denies it'));

describe('changeChild()', () => {
  it.each([denied, connectionLost()])('changeChild() makes no live get of the child after %s', async (refusal) => {
    const bench = await changedWhile(refusal);
    expect([gets(bench), warnings(bench)]).toEqual([[], ['FailedUpdate']]);
  });

  it.each([404, 409, 422])('changeChild() is done when the status is %s and the child is gone', async (httpStatus) => {
    const gone = new ApiError('apply configmaps', { httpStatus, reason: '', message: 'no' });
    const bench = await changedWhile(gone, ({ api }) => api.vanish(ConfigMap, 'w'));
    expect([gets(bench), warnings(bench)]).toEqual([['configmaps'], []]);
  });
});

/** The pass in which the label of a pod has to be removed, and the API server refuses the first patch. */
const unlabelledWhile = async (refusal: ReconcileError) => {
  const bench = new LoopBench(wardrobe);
  bench.declare('w', { content: { kinds: ['Pod'], labels: { gone: 'x' } } });
  await bench.converge('w');
  bench.edit('w', { content: { kinds: ['Pod'] } });
  bench.catchUp();
  bench.api.requests.length = 0;
  bench.events.length = 0;
  const patches = () => bench.api.requests.filter(({ verb }) => verb === 'patch').length;
  bench.api.refuse = ({ verb }) => (verb === 'patch' && patches() === 1 ? refusal : undefined);
  await bench.pass('w');
  return { bench, patches: patches() };
};

const refusedPatch = (httpStatus: number, message?: string): ApiError =>
  new ApiError('patch pods', {
    httpStatus,
    reason: '',
    message: 'no',
    causes: message === undefined ? [] : [{ reason: 'FieldValueInvalid', message, field: 'spec.image' }],
  });

describe('changeChild() by a patch', () => {
  it.each([
    { what: 'status 422', refusal: refusedPatch(422), patches: 2 },
    { what: 'status 422 and a value that is not allowed', refusal: refusedPatch(422, 'Required value'), patches: 2 },
    { what: 'status 422 and an immutable field', refusal: refusedPatch(422, 'field is immutable'), patches: 1 },
    { what: 'status 409', refusal: refusedPatch(409), patches: 1 },
    { what: 'status 404', refusal: refusedPatch(404), patches: 1 },
  ])('changeChild() sends $patches patches when the first one fails with $what', async ({ refusal, patches }) => {
    const tried = await unlabelledWhile(refusal);
    expect(tried.patches).toBe(patches);
    expect(warnings(tried.bench)).toEqual(patches === 1 ? ['FailedUpdate'] : []);
  });
});

/** The first pass over a shelf that no longer contains its book. */
const prunedWhile = async (refusal?: ReconcileError) => {
  const bench = new LoopBench();
  bench.declare('shelf', { books: ['a'] });
  await bench.converge('shelf');
  bench.api.edit(Pod, 'a', (it) => ({ ...it, metadata: { ...it.metadata, finalizers: ['example.com/keep'] } }));
  bench.edit('shelf', { books: [] });
  bench.catchUp();
  bench.api.refuse = ({ verb }) => (verb === 'delete' ? refusal : undefined);
  bench.api.requests.length = 0;
  bench.events.length = 0;
  const result = await bench.pass('shelf');
  return { bench, result };
};

describe('remove() of a child', () => {
  it('remove() shows the deletion in the cache before the event of the watch', async () => {
    const { bench } = await prunedWhile();
    const cached = bench.context.children.get(Pod)?.get(keyOf('default', 'a'));
    expect(cached?.metadata.deletionTimestamp).toBeDefined();
  });

  it.each([denied, connectionLost()])('remove() makes no live get of the child after %s', async (refusal) => {
    const { bench } = await prunedWhile(refusal);
    expect([gets(bench), warnings(bench)]).toEqual([[], ['FailedDelete']]);
  });

  it('remove() is refused by a conflict when the child is as it was observed', async () => {
    const { bench, result } = await prunedWhile(answerOf(conflict(pod, 'modified')));
    expect([gets(bench), warnings(bench)]).toEqual([['pods'], ['FailedDelete']]);
    expect(result).toMatchObject({ next: 'backoff', isPaced: true });
  });
});
