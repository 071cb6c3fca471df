import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import { type Ended, endOf } from '../../operator/child-end.ts';
import type { WorkerAnswer, WorkerOrder } from './orders.ts';

/** The entry point in this folder: `.ts` in the source, `.js` in the package. */
const ENTRY = new URL(`./main${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

/** Maximum time of an order, in milliseconds. */
const LIMIT_MS = 60_000;

const failed = (message: string): WorkerAnswer => ({ type: 'failed', problem: { message } });

const wordsOfFailure = (ended: Ended): string =>
  ended.by === 'failure'
    ? `The process for this could not be started: ${ended.error.message}; end other programs, and try again`
    : 'The process that loads the kinds ended without an answer; see that cdk8s-reconcile plan works with the same manifest';

/** Ends a process and all that it has started: the files of a project can start other processes, such as compilers. */
const endGroup = (child: ChildProcess | undefined): void => {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended already, or the system has no process groups.
    child.kill('SIGKILL');
  }
};

/**
 * Executes orders of the page, one at a time. An order during another order fails. Each order has its own process, which loads
 * the current files of the project.
 */
export class WorkerProcess implements Disposable {
  readonly #timers: Timers;
  #child: ChildProcess | undefined;
  readonly #onExit = (): void => endGroup(this.#child);

  constructor(timers: Timers = systemTimers) {
    this.#timers = timers;
    process.on('exit', this.#onExit);
  }

  /** Executes an order. Problems are part of the answer. */
  async execute(order: WorkerOrder): Promise<WorkerAnswer> {
    if (this.#child !== undefined) return { type: 'busy' };
    // The process has its own process group, so that Ctrl-C in the terminal does not reach it.
    const child = fork(ENTRY, [String(process.pid)], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#child = child;
    const { promise, resolve } = Promise.withResolvers<WorkerAnswer>();
    const cancel = this.#timers.setTimer(LIMIT_MS, () =>
      resolve(failed(`There is no result after ${LIMIT_MS / 1000} s; try a shorter time, or fewer objects`)),
    );
    child.once('message', (answer: WorkerAnswer) => resolve(answer));
    void endOf(child).then((ended) => resolve(failed(wordsOfFailure(ended))));
    child.send(order, () => undefined);
    try {
      return await promise;
    } finally {
      cancel();
      endGroup(child);
      this.#child = undefined;
    }
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#onExit);
    this.#onExit();
  }
}
