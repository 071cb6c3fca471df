import { describe, expect, it } from 'vitest';
import { failure } from '#lib/apiserver/machinery/status.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf } from '#test/unit/support/server-answers.ts';
import { type ShelfSeen, shelf } from '#test/unit/support/shelf-kind.ts';

/** A kind that writes its books into a catalogue, with a precondition on the observed version. */
const catalogued: AnyKindDefinition = defineKind({
  ...shelf,
  owns: [ConfigMap],
  desired: ({ resource, children }: ShelfSeen) => {
    const [seen] = children.of(ConfigMap);
    const data = { books: resource.spec.books.join(' '), others: seen?.data?.['theirs'] ?? '' };
    const catalogue = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'catalogue' }, data };
    return {
      children: [apply(catalogue, seen === undefined ? {} : { ifUnchanged: seen })],
      status: { count: resource.spec.books.length },
      state: ready('Catalogued', 'the catalogue is written'),
    };
  },
});

const standing = async (): Promise<LoopBench> => {
  const bench = new LoopBench(catalogued);
  bench.declare('shelf', { books: ['a'] });
  await bench.converge('shelf');
  await bench.timers.advance(1000);
  bench.api.requests.length = 0;
  return bench;
};

const dataOf = (bench: LoopBench): unknown => bench.api.one(ConfigMap, 'catalogue')['data'];

const scribble = (bench: LoopBench): void =>
  bench.api.edit(ConfigMap, 'catalogue', (it: ApiObject) => ({ ...it, data: { ...Object(it['data']), theirs: 'x' } }));

describe('changeChild()', () => {
  it('changeChild() applies with one request when the child is as it was observed', async () => {
    const bench = await standing();
    bench.edit('shelf', { books: ['a', 'b'] });
    bench.catchUp();
    await bench.converge('shelf');
    expect(dataOf(bench)).toEqual({ books: 'a b', others: '' });
    expect(bench.api.requests.map(({ verb }) => verb)).toEqual(['apply', 'patchStatus']);
  });

  it('changeChild() writes nothing over what it has not seen, shows no refusal and computes again', async () => {
    const bench = await standing();
    bench.edit('shelf', { books: ['a', 'b'] });
    bench.catchUp();
    scribble(bench);
    const before = bench.statusOf('shelf');
    expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 0 });
    expect(dataOf(bench)).toEqual({ books: 'a', others: '', theirs: 'x' });
    expect(bench.statusOf('shelf')).toEqual(before);
    await bench.converge('shelf');
    expect(dataOf(bench)).toEqual({ books: 'a b', others: 'x', theirs: 'x' });
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True' });
  });

  it('changeChild() is refused when the API server refuses the change of a child that is as it was observed', async () => {
    const bench = await standing();
    bench.edit('shelf', { books: ['a', 'b'] });
    bench.catchUp();
    const refusal = answerOf(failure({ code: 422, reason: 'Invalid', message: 'no' }));
    bench.api.refuse = ({ verb }) => (verb === 'apply' ? refusal : undefined);
    bench.events.length = 0;
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff', isPaced: true });
    expect(bench.events.map(({ reason }) => reason)).toEqual(['FailedUpdate']);
  });

  it('changeChild() does not bring back a child that is gone in the meantime', async () => {
    const bench = await standing();
    bench.edit('shelf', { books: ['a', 'b'] });
    bench.catchUp();
    bench.api.vanish(ConfigMap, 'catalogue');
    await bench.pass('shelf');
    expect(bench.api.all(ConfigMap)).toEqual([]);
    await bench.converge('shelf');
    expect(dataOf(bench)).toEqual({ books: 'a b', others: '' });
  });
});
