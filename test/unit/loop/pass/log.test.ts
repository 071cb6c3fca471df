import { describe, expect, it } from 'vitest';
import { apply } from '#lib/desired/result/intent.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { writeStatusAs } from '#test/unit/loop/pass/pass-bench.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { connectionLost, quotaExceeded } from '#test/unit/support/server-answers.ts';
import { bookPod, shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

/** A bench with a shelf, and a function that returns the parsed lines of its log. */
const logged = (definition = shelfThat(shelf.desired)) => {
  const { log, lines } = capturedLog();
  const bench = new LoopBench(definition, log);
  bench.declare('shelf', { books: ['a'] });
  const entries = (): unknown[] => lines.map((line) => JSON.parse(line) as unknown);
  return { bench, entries };
};

const key = 'default/shelf';
/** A line about an error. */
const failure = (level: string, msg: string, error: object): unknown =>
  expect.objectContaining({ level, key, error: expect.objectContaining(error) as unknown, msg });
const create = { key, step: 'create', kind: 'Pod', name: 'a', reason: 'Missing' };

describe('the log of a pass', () => {
  it('has each accepted write, for debugging', async () => {
    const { bench, entries } = logged();
    await bench.pass('shelf');
    expect(entries()).toContainEqual(expect.objectContaining({ level: 'debug', ...create, msg: 'child written' }));
  });

  it('has each refused write, with its reason, its attempts and its error', async () => {
    const { bench, entries } = logged();
    bench.api.refuse = ({ name }) => (name === 'a' ? quotaExceeded(name) : undefined);
    await bench.pass('shelf');
    const refused = {
      level: 'info',
      ...create,
      refused: 'QuotaExceeded',
      attempts: 1,
      error: expect.objectContaining({ code: 'Forbidden' }) as unknown,
      msg: 'write refused',
    };
    expect(entries()).toContainEqual(expect.objectContaining(refused));
    expect(entries()).not.toContainEqual(expect.objectContaining({ msg: 'child written' }));
  });

  it('has each write to a child that has changed since the snapshot', async () => {
    const { bench, entries } = logged();
    await bench.converge('shelf');
    bench.edit('shelf', { books: [] });
    bench.catchUp();
    bench.api.edit(Pod, 'a', (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: {} } }));
    await bench.pass('shelf');
    const changed = { level: 'debug', step: 'prune', name: 'a', msg: 'child changed meanwhile' };
    expect(entries()).toContainEqual(expect.objectContaining(changed));
  });

  it('has the error of a function', async () => {
    const { bench, entries } = logged(
      shelfThat(() => {
        throw new TypeError('no books');
      }),
    );
    await bench.pass('shelf');
    expect(entries()).toContainEqual(failure('error', 'desired failed', { message: 'no books' }));
  });

  it('isOutdated() logs the error when the live get of the resource fails', async () => {
    const { bench, entries } = logged();
    bench.context.resources.trust.brokeOff('');
    bench.api.refuse = ({ verb }) => (verb === 'get' ? connectionLost() : undefined);
    await bench.pass('shelf');
    expect(entries()).toContainEqual(failure('info', 'cannot look the resource up', { code: 'Connection' }));
  });

  it('has the error of a live get of a child in doubt', async () => {
    const { bench, entries } = logged();
    bench.api.loseAnswer = ({ verb }) => (verb === 'create' ? connectionLost() : undefined);
    await bench.pass('shelf');
    bench.api.refuse = ({ verb }) => (verb === 'get' ? quotaExceeded('a') : undefined);
    await bench.pass('shelf');
    const msg = 'cannot get the objects of writes without an answer';
    expect(entries()).toContainEqual(failure('info', msg, { code: 'Forbidden' }));
    bench.api.refuse = () => undefined;
    await bench.pass('shelf');
    expect(entries().filter((entry) => (entry as { readonly msg: string }).msg === msg)).toHaveLength(1);
  });
});

/** Passes, with the events of the watches and some time between them. */
const passes = async (bench: LoopBench, count: number, change: () => unknown = () => undefined): Promise<void> => {
  for (let pass = 0; pass < count; pass += 1) {
    await change();
    bench.catchUp();
    await bench.pass('shelf');
    bench.catchUp();
    await bench.timers.advance(500);
  }
};

describe('the log of passes without end', () => {
  it('has the fields of a status that another writer keeps changing, once', async () => {
    const { bench, entries } = logged();
    await bench.converge('shelf');
    await passes(bench, 20, async () => writeStatusAs(bench, 'rival', { count: 99 }));
    const told = entries().filter((entry) => (entry as { readonly level: string }).level === 'warn');
    expect(told).toMatchObject([
      {
        key,
        text: '"rival" keeps changing status.count',
        msg: 'another writer keeps changing the status, correcting it with growing delays',
      },
    ]);
  });

  it('has the children of a function that does not settle, once', async () => {
    let calls = 0;
    const { bench, entries } = logged(
      shelfThat((seen) => {
        calls += 1;
        return { ...shelf.desired(seen), children: [apply(bookPod(`book-${calls}`))] };
      }),
    );
    await passes(bench, 250);
    const told = entries().filter((entry) => (entry as { readonly level: string }).level === 'warn');
    expect(told).toMatchObject([
      {
        key,
        what: expect.stringContaining('desired() returns something else after each of its own changes') as unknown,
        msg: 'desired does not settle, executing it with growing delays',
      },
    ]);
  });

  it('has the fields of a status that depends on itself, once', async () => {
    const { bench, entries } = logged(
      shelfThat((seen) => ({ ...shelf.desired(seen), status: { count: (seen.resource.status?.count ?? 0) + 1 } })),
    );
    await passes(bench, 200);
    const told = entries().filter((entry) => (entry as { readonly level: string }).level === 'warn');
    expect(told).toMatchObject([
      {
        key,
        text: expect.stringContaining('(status.count)') as unknown,
        msg: 'the status does not settle, writing it with growing delays',
      },
    ]);
  });
});
