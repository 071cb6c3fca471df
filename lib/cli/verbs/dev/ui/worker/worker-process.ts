import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import { AnsweringProcess, entryBeside } from '../../../../child/answering-process.ts';
import type { Ended } from '../../../../child/child-end.ts';
import type { WorkerAnswer, WorkerOrder } from './orders.ts';

const ENTRY = entryBeside(import.meta.url);

/** Maximum time of an order, in milliseconds. */
const LIMIT_MS = 60_000;

const failed = (message: string): WorkerAnswer => ({ type: 'failed', problem: { message } });

const wordsOfFailure = (ended: Ended): string =>
  ended.by === 'failure'
    ? `The process for this could not be started: ${ended.error.message}; end other programs, and try again`
    : 'The process that loads the kinds ended without an answer; see that cdk8s-reconcile plan works with the same manifest';

/**
 * Executes orders of the page, one at a time. An order during another order fails. Each order has its own process, which loads
 * the current files of the project.
 */
export class WorkerProcess implements Disposable {
  readonly #timers: Timers;
  #process: AnsweringProcess<WorkerOrder, WorkerAnswer> | undefined;

  constructor(timers: Timers = systemTimers) {
    this.#timers = timers;
  }

  /** Executes an order. Problems are part of the answer. */
  async execute(order: WorkerOrder): Promise<WorkerAnswer> {
    if (this.#process !== undefined) return { type: 'busy' };
    using worker = new AnsweringProcess<WorkerOrder, WorkerAnswer>(ENTRY);
    this.#process = worker;
    const { promise: late, resolve } = Promise.withResolvers<WorkerAnswer>();
    const cancel = this.#timers.setTimer(LIMIT_MS, () =>
      resolve(failed(`There is no result after ${LIMIT_MS / 1000} s; try a shorter time, or fewer objects`)),
    );
    const asked = worker.ask(order).then((got) => ('answer' in got ? got.answer : failed(wordsOfFailure(got.ended))));
    try {
      return await Promise.race([asked, late]);
    } finally {
      cancel();
      this.#process = undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#process?.[Symbol.dispose]();
  }
}
