import { describe, expect, it } from 'vitest';
import { failure } from '#lib/apiserver/machinery/status.ts';
import { remove } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { NotSentError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf, connectionLost, internalError, quotaExceeded } from '#test/unit/support/server-answers.ts';
import { shelf, shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';

const verbs = (bench: LoopBench): string[] => bench.api.requests.map(({ verb }) => verb);

const books = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `book-${String(i).padStart(3, '0')}`);

describe('reconcile() after doubt', () => {
  it('reconcile() looks a child up before it computes again when its write got no answer', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a'] });
    bench.api.loseAnswer = ({ verb }) => (verb === 'create' ? connectionLost() : undefined);
    await bench.pass('shelf');
    bench.api.loseAnswer = () => undefined;
    bench.api.requests.length = 0;
    await bench.timers.advance(1000);
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(verbs(bench)).toEqual(['get', 'patchStatus']);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1 });
  });

  it.each([
    {
      why: 'with 504',
      error: answerOf(
        failure({
          code: 504,
          reason: 'Timeout',
          message: 'Timeout: request did not complete within requested timeout',
        }),
      ),
    },
    { why: 'that etcd did not answer in time', error: internalError('etcdserver: request timed out') },
    { why: 'with 502 of a proxy', error: answerOf(failure({ code: 502, reason: 'Http502', message: 'Bad Gateway' })) },
  ])('reconcile() looks a child up, too, when its write is answered $why and was carried out', async ({ error }) => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a', 'b'] });
    await bench.converge('shelf');
    bench.edit('shelf', { books: ['a', 'b', 'c'] });
    bench.catchUp();
    bench.api.loseAnswer = ({ verb }) => (verb === 'create' ? error : undefined);
    await bench.pass('shelf');
    bench.api.loseAnswer = () => undefined;
    bench.api.requests.length = 0;
    await bench.timers.advance(1000);
    await bench.pass('shelf');
    expect(bench.api.requests.map(({ verb, name }) => `${verb} ${name}`)[0]).toBe('get c');
    expect(verbs(bench)).not.toContain('create');
  });

  it.each([
    { why: 'was never sent', error: new NotSentError('Cannot create pods: refused the connection') },
    { why: 'a webhook stopped', error: internalError('Internal error occurred: failed calling webhook "a.b.c": no') },
    { why: 'a quota refused', error: quotaExceeded('a') },
  ])('reconcile() looks nothing up when the write $why', async ({ error }) => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = ({ verb }) => (verb === 'create' ? error : undefined);
    await bench.pass('shelf');
    bench.api.refuse = () => undefined;
    bench.api.requests.length = 0;
    await bench.timers.advance(60_000);
    await bench.pass('shelf');
    expect(verbs(bench)).toEqual(['create']);
  });

  it('reconcile() looks up again only what could not be looked up', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['0'] });
    await bench.converge('shelf');
    bench.edit('shelf', { books: ['0', 'a', 'b', 'c'] });
    bench.catchUp();
    bench.api.loseAnswer = ({ verb }) => (verb === 'create' ? connectionLost() : undefined);
    await bench.pass('shelf');
    bench.api.loseAnswer = () => undefined;
    bench.api.refuse = ({ verb, name }) => (verb === 'get' && name === 'b' ? connectionLost() : undefined);
    await bench.timers.advance(1000);
    await bench.pass('shelf');
    bench.api.refuse = () => undefined;
    bench.api.requests.length = 0;
    await bench.pass('shelf');
    expect(bench.api.requests.map(({ verb, name }) => `${verb} ${name}`)).toEqual(['get b', 'patchStatus shelf']);
  });

  it('reconcile() looks nothing up when the resource is gone', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a'] });
    bench.api.loseAnswer = ({ verb }) => (verb === 'create' ? connectionLost() : undefined);
    await bench.pass('shelf');
    bench.api.vanish(bench.kind, 'shelf');
    bench.catchUp();
    bench.api.requests.length = 0;
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(verbs(bench)).toEqual([]);
  });

  it('reconcile() computes nothing while a child cannot be looked up', async () => {
    let calls = 0;
    const bench = new LoopBench(
      shelfThat((seen) => {
        calls += 1;
        return shelf.desired(seen);
      }),
    );
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = ({ verb }) => (verb === 'create' || verb === 'get' ? connectionLost() : undefined);
    await bench.pass('shelf');
    await bench.timers.advance(1000);
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    expect(calls).toBe(1);
  });

  it('reconcile() deletes no second pod when the deletion of the first got no answer', async () => {
    // A function that deletes one pod at a time while there is more than one.
    const bench = new LoopBench(
      shelfThat((seen) => {
        const pods = seen.children.of(Pod);
        const declared = shelf.desired(seen);
        const [surplus] = pods.length > 1 ? pods : [];
        if (seen.resource.metadata.generation === 1 || !surplus) {
          return { ...declared, partial: 'as it is', state: ready('Fine', 'fine') };
        }
        return { ...declared, children: [remove(surplus, 'Surplus')], partial: 'one at a time' };
      }),
    );
    bench.declare('shelf', { books: ['a', 'b'] });
    await bench.converge('shelf');
    bench.edit('shelf', { books: [] });
    bench.catchUp();
    bench.api.loseAnswer = ({ verb }) => (verb === 'delete' ? connectionLost() : undefined);
    await bench.pass('shelf');
    await bench.timers.advance(1000);
    await bench.pass('shelf');
    expect(bench.podNames()).toEqual(['b']);
  });

  it('reconcile() takes nothing for its own that it finds under the name', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = ({ verb }) => (verb === 'create' ? connectionLost() : undefined);
    await bench.pass('shelf');
    bench.api.refuse = () => undefined;
    const pod = bench.api.put(Pod, strangersPod('a'));
    await bench.timers.advance(1000);
    await bench.pass('shelf');
    expect(bench.api.one(Pod, 'a')).toEqual(pod);
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
  });
});

describe('reconcile() ends a pass early', () => {
  it('reconcile() creates no more of what is wanted no more when the spec changes meanwhile', async () => {
    const bench = new LoopBench();
    let creations = 0;
    bench.api.before = ({ verb }) => {
      creations += verb === 'create' ? 1 : 0;
      if (verb !== 'create' || creations !== 5) return;
      bench.edit('shelf', { books: [] });
      bench.catchUp();
    };
    bench.declare('shelf', { books: books(100) });
    await bench.pass('shelf');
    expect(creations).toBe(5);
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual([]);
  });

  it('reconcile() asks for no status write that must fail when the spec changes meanwhile', async () => {
    const bench = new LoopBench();
    let edited = false;
    bench.api.before = ({ verb }) => {
      if (verb !== 'create' || edited) return;
      edited = true;
      bench.edit('shelf', { books: books(99) });
      bench.catchUp();
    };
    bench.declare('shelf', { books: books(100) });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(verbs(bench)).not.toContain('patchStatus');
  });

  it('reconcile() reports progress and goes on when a pass has written much', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: books(600) });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(bench.podNames().length).toBeLessThan(600);
    expect(bench.statusOf('shelf')).toMatchObject({ observedGeneration: 1 });
    await bench.converge('shelf');
    expect(bench.podNames()).toHaveLength(600);
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });

  it('stop() lets what is under way end, and begins no other write', async () => {
    const bench = new LoopBench();
    const controller = started(bench);
    let stopping: Promise<void> | undefined;
    bench.api.before = ({ verb }) => {
      if (verb === 'create') stopping ??= controller.stop();
    };
    bench.declare('shelf', { books: books(100) });
    await live(bench, 1000);
    await stopping;
    expect(bench.podNames()).toHaveLength(1);
    expect(verbs(bench)).toEqual(['create']);
  });
});

describe('reconcile() on hold', () => {
  it('reconcile() does not ask again before its time when events keep coming', async () => {
    const bench = new LoopBench();
    bench.api.refuse = ({ verb, name }) => (verb === 'create' ? quotaExceeded(name) : undefined);
    bench.declare('shelf', { books: ['a'] });
    for (let i = 0; i < 100; i += 1) {
      await bench.pass('shelf');
      await bench.timers.advance(10);
    }
    expect(verbs(bench).filter((verb) => verb === 'create').length).toBeLessThan(10);
  });

  it('reconcile() tries at once when the spec is edited', async () => {
    const bench = new LoopBench();
    bench.api.refuse = ({ verb, name }) => (verb === 'create' && name === 'big' ? quotaExceeded(name) : undefined);
    bench.declare('shelf', { books: ['big'] });
    await bench.pass('shelf');
    bench.edit('shelf', { books: ['small'] });
    bench.catchUp();
    await bench.pass('shelf');
    expect(bench.podNames()).toEqual(['small']);
  });

  it('reconcile() still deletes while creations are on hold', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a', 'b'] });
    await bench.converge('shelf');
    bench.api.refuse = ({ verb, name }) => (verb === 'create' ? quotaExceeded(name) : undefined);
    bench.edit('shelf', { books: ['b', 'c'] });
    bench.catchUp();
    await bench.pass('shelf');
    expect(bench.podNames()).toEqual(['b']);
  });
});
