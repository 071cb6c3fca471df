import { LoopBench } from './loop-bench.ts';
import { type ShelfAnswer, shelfThat } from './shelf-kind.ts';

/** A process that reconciles a resource whose function is asynchronous, which types forbid, and rejects. */
const fails = async (): Promise<never> => {
  throw new Error('nobody awaits this');
};
const bench = new LoopBench(shelfThat(() => fails() as unknown as ShelfAnswer));
bench.declare('odd', { books: [] });
await bench.pass('odd');
await new Promise(setImmediate);
process.stdout.write(bench.conditionOf('odd', 'Stalled')?.status ?? 'nothing');
