import { describe, expect, it } from 'vitest';
import { ELSEWHERE_LABEL, elsewhereName, PARENT_MARK, parentMarkOf } from '#lib/desired/marks/elsewhere.ts';
import { ApiError } from '#lib/errors.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { probe } from '#test/unit/support/probe-kind.ts';

const forbidden = new ApiError('ask', { httpStatus: 403, reason: 'Forbidden', message: 'no' });

const reads = (bench: LoopBench): string[] =>
  bench.api.requests.filter(({ verb }) => verb === 'get').map(({ name }) => name);

/** A bench with more children elsewhere of an earlier resource `default/web` than one pass deletes. */
const leftBehind = (): LoopBench => {
  const bench = new LoopBench(probe);
  const { apiVersion, kind } = bench.kind;
  const owner = { apiVersion, kind, name: 'web', uid: 'gone' };
  const mark = parentMarkOf({ definition: 'demo.example.com/probe', namespace: 'default', owner });
  bench.api.makeNamespace('logging');
  for (let index = 0; index < 60; index += 1) {
    const name = elsewhereName({ metadata: { namespace: 'default', name: 'web', uid: 'gone' } }, `old-${index}`);
    const metadata = {
      name,
      namespace: 'logging',
      labels: { [ELSEWHERE_LABEL]: 'gone' },
      annotations: { [PARENT_MARK]: mark },
    };
    bench.api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }
  bench.catchUp();
  return bench;
};

describe('reconcile() when an earlier resource left many children elsewhere', () => {
  it('reconcile() asks for the next pass at once when one pass cannot delete all of them', async () => {
    const bench = leftBehind();
    expect(await bench.pass('web')).toEqual({ next: 'again', afterMs: 0 });
    expect(bench.api.all(ConfigMap, 'logging')).toHaveLength(10);
    expect(await bench.pass('web')).toEqual({ next: 'rest' });
    expect(bench.api.all(ConfigMap, 'logging')).toEqual([]);
  });

  it('reconcile() keeps the delay of a failed write when one pass cannot delete all of them', async () => {
    const bench = leftBehind();
    bench.declare('web', { text: 'x', targets: [] });
    bench.api.refuse = ({ verb }) => (verb === 'patch' ? forbidden : undefined);
    expect(await bench.pass('web')).toMatchObject({ next: 'backoff' });
    expect(bench.api.all(ConfigMap, 'logging')).toHaveLength(10);
  });
});

describe('reconcile() when children are missing again', () => {
  it('reconcile() looks the resource up when its last pass created the missing child', async () => {
    const bench = new LoopBench();
    bench.declare('web', { books: ['a'] });
    await bench.pass('web');
    bench.api.vanish(Pod, 'a');
    bench.catchUp();
    await bench.pass('web');
    expect(reads(bench)).toEqual(['web']);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('reconcile() does not look the resource up when its last pass only deleted a child', async () => {
    const bench = new LoopBench();
    bench.declare('web', { books: ['a', 'b'] });
    await bench.converge('web');
    bench.edit('web', { books: ['a'] });
    bench.catchUp();
    await bench.pass('web');
    expect(bench.podNames()).toEqual(['a']);
    bench.api.vanish(Pod, 'a');
    bench.catchUp();
    await bench.pass('web');
    expect([reads(bench), bench.podNames()]).toEqual([[], ['a']]);
  });

  it('reconcile() does not look the resource up when no create has succeeded', async () => {
    const bench = new LoopBench();
    bench.declare('web', { books: ['a'] });
    bench.api.refuse = ({ verb }) => (verb === 'create' ? forbidden : undefined);
    for (let pass = 0; pass < 4; pass += 1) {
      await bench.pass('web');
      bench.catchUp();
      await bench.timers.advance(60_000);
    }
    bench.api.refuse = () => undefined;
    await bench.pass('web');
    expect([reads(bench), bench.podNames()]).toEqual([[], ['a']]);
  });
});
