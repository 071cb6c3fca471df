import { expect, it } from 'vitest';
import { Pod } from '#lib/kind/handles/reference.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

it('shownAsOurs() delays the next pass and logs the child when the cache no longer shows a created child as ours', async () => {
  const { log, lines } = capturedLog();
  const bench = new LoopBench(shelf, log);
  bench.declare('shelf', { books: ['a'] });
  bench.api.loseAnswer = ({ verb }) => {
    if (verb !== 'create') return undefined;
    // Another writer removes the owner, and the watch delivers this before the response to the create arrives.
    bench.api.edit(Pod, 'a', (pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [], labels: {} } }));
    bench.catchUp();
    return undefined;
  };
  expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 0 });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      key: 'default/shelf',
      kind: 'Pod',
      name: 'a',
      msg: 'child written, and not shown as a child afterwards; waiting',
    }),
  );
});
