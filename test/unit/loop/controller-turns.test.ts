import { expect, it, vi } from 'vitest';
import { started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { settle } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const SHELVES = 200;

const microtasks = async (): Promise<void> => {
  for (let turn = 0; turn < 10_000; turn += 1) await Promise.resolve();
};

it('Controller lets the event loop have its turn between passes that wait for nothing', async () => {
  let calls = 0;
  const desired: typeof shelf.desired = (seen) => {
    calls += 1;
    return shelf.desired(seen);
  };
  const bench = new LoopBench({ ...shelf, desired });
  for (let number = 0; number < SHELVES; number += 1) {
    bench.declare(`shelf-${number}`, { books: [] });
    await bench.converge(`shelf-${number}`);
    bench.edit(`shelf-${number}`, { books: [] });
  }
  calls = 0;
  // The time advances with every read of the clock.
  let now = bench.timers.elapsed();
  vi.spyOn(bench.timers, 'elapsed').mockImplementation(() => (now += 0.1));
  const controller = started(bench);
  for (let number = 0; number < SHELVES; number += 1) {
    const object = bench.api.one(bench.kind, `shelf-${number}`);
    controller.resourceChanged({ after: { ...object, metadata: { ...object.metadata, uid: 'new' } } });
  }
  await microtasks();
  const turns: number[] = [];
  while (controller.inspect().queue.ready.user !== undefined && turns.length < SHELVES) {
    turns.push(controller.probe.depth());
    await settle();
  }
  expect(turns.length).toBeGreaterThan(3);
  expect(controller.probe.depth()).toBe(0);
});
