import { describe, expect, it } from 'vitest';
import { forbidden } from '#lib/apiserver/machinery/status.ts';
import { remove } from '#lib/desired/result/intent.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
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
      const sent: unknown[] = [];
      const { client } = bench.api;
      const send = client.delete.bind(client);
      Object.assign(client, {
        delete: async (...request: Parameters<typeof send>) => {
          sent.push(request[2]);
          return send(...request);
        },
      });
      const { uid, resourceVersion } = bench.api.one(Pod, 'a').metadata;
      discard(bench);
      await bench.pass('shelf');
      expect(sent).toEqual([{ uid, resourceVersion, ...options }]);
    },
  );
});
