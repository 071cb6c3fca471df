import { describe, expect, it } from 'vitest';
import { ApiError, NotLeadingError, type ReconcileError } from '#lib/errors.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { clear, discard, FINALIZER, forbidden, mark, shelfWith, standing } from '#test/unit/support/finalized-shelf.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { connectionLost } from '#test/unit/support/server-answers.ts';

/** A new shelf whose patches are refused, and the parsed lines of its log. */
const refusing = (refusal: ReconcileError) => {
  const { log, lines } = capturedLog();
  const bench = new LoopBench(shelfWith(clear), log);
  bench.declare('shelf', { books: [] });
  bench.api.refuse = ({ verb }) => (verb === 'patch' ? refusal : undefined);
  return { bench, entries: () => lines.map((line) => JSON.parse(line) as unknown) };
};

/** A shelf without books that is being deleted. */
const discarded = async (): Promise<LoopBench> => {
  const bench = await standing(clear, []);
  discard(bench);
  return bench;
};

const cached = ({ context }: LoopBench): unknown => context.resources.get(keyOf('default', 'shelf'));

describe('a patch of the finalizers', () => {
  it('names the finalizer that it cannot add, in the status and in the log', async () => {
    const { bench, entries } = refusing(forbidden);
    await bench.pass('shelf');
    const what = `cannot add the finalizer ${FINALIZER}`;
    expect(bench.conditionOf('shelf', 'Stalled')?.message).toBe(`${what}: Forbidden; trying again`);
    expect(entries()).toContainEqual(
      expect.objectContaining({
        level: 'error',
        key: 'default/shelf',
        error: expect.objectContaining({ message: forbidden.message }) as unknown,
        msg: what,
      }),
    );
  });

  it('names the finalizer that it cannot remove', async () => {
    const bench = await discarded();
    bench.api.refuse = ({ verb }) => (verb === 'patch' ? forbidden : undefined);
    await bench.pass('shelf');
    expect(bench.conditionOf('shelf', 'Stalled')?.message).toContain(`cannot remove the finalizer ${FINALIZER}:`);
  });

  it('names the finalizer that admission removes again, in the status and in the log', async () => {
    const { bench, entries } = refusing(forbidden);
    bench.api.refuse = () => undefined;
    bench.api.mutate = ({ verb }, body) => (verb === 'patch' ? { metadata: { finalizers: [] } } : body);
    await bench.pass('shelf');
    const what = `cannot add the finalizer ${FINALIZER}: an admission webhook or policy undoes it`;
    expect(bench.conditionOf('shelf', 'Stalled')?.message).toBe(`${what}; trying again`);
    expect(entries()).toContainEqual(expect.objectContaining({ level: 'error', key: 'default/shelf', msg: what }));
  });

  it.each([
    { why: 'the API server refuses it with 403', refusal: forbidden, gets: 0 },
    { why: 'no response comes', refusal: connectionLost(), gets: 0 },
    {
      why: 'the resource has another version',
      refusal: new ApiError('patch shelves', { httpStatus: 409, reason: 'Conflict', message: 'modified' }),
      gets: 1,
    },
  ])('makes $gets live gets of the resource when $why', async ({ refusal, gets }) => {
    const { bench } = refusing(refusal);
    await bench.pass('shelf');
    expect(bench.api.requests.filter(({ verb }) => verb === 'get')).toHaveLength(gets);
  });

  it.each([new NotLeadingError('the lease is lost'), new TypeError('a bug') as never])(
    'rejects with %s, which is no refusal',
    async (error) => {
      const { bench } = refusing(error);
      await expect(bench.pass('shelf')).rejects.toThrow(error);
    },
  );

  it('is a merge patch for an addition, and a JSON patch for a removal', async () => {
    const { bench } = refusing(forbidden);
    bench.api.refuse = () => undefined;
    const types: unknown[] = [];
    const { client } = bench.api;
    const patch = client.patch.bind(client);
    Object.assign(client, {
      patch: async (...request: Parameters<typeof patch>) => {
        types.push(request[3].type);
        return patch(...request);
      },
    });
    await bench.converge('shelf');
    discard(bench);
    await bench.converge('shelf');
    expect(types).toEqual(['merge', 'json']);
  });
});

describe('the removal of the last finalizer', () => {
  it('removes the resource from the cache before the event of the watch', async () => {
    const bench = await discarded();
    await bench.pass('shelf');
    expect(cached(bench)).toBeUndefined();
  });

  it('leaves the resource in the cache when another finalizer is left', async () => {
    const bench = await standing(clear, []);
    mark(bench, [FINALIZER, 'example.com/other']);
    discard(bench);
    await bench.pass('shelf');
    expect(cached(bench)).toMatchObject({ metadata: { finalizers: ['example.com/other'] } });
  });
});
