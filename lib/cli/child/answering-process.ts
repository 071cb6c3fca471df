import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { type Ended, endOf } from './child-end.ts';
import { killGroup } from './process-group.ts';

/** Returns the entry point `main` in the folder of a module: `.ts` in the source, `.js` in the package. */
export const entryBeside = (moduleUrl: string): URL =>
  new URL(`./main${extname(new URL(moduleUrl).pathname)}`, moduleUrl);

/**
 * Starts an entry point of this program, with the process id of this process as its argument. The process has its own process
 * group, so that Ctrl-C in the terminal does not reach it.
 */
export const forkEntry = (entry: URL, output: 'ignore' | 'pipe'): ChildProcess =>
  fork(entry, [String(process.pid)], { detached: true, stdio: ['ignore', output, output, 'ipc'] });

/** One listener for all processes: Node.js warns of more than ten listeners of an event. */
const running = new Set<Disposable>();
process.on('exit', () => running.forEach((each) => each[Symbol.dispose]()));

/**
 * A process of this program that answers messages, one at a time. It ends with this process.
 *
 * @typeParam Message - the messages, as JSON
 * @typeParam Answer - the answers, as JSON
 */
export class AnsweringProcess<Message extends object, Answer> implements Disposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;

  constructor(entry: URL) {
    this.#child = forkEntry(entry, 'ignore');
    this.#ended = endOf(this.#child);
    running.add(this);
  }

  /** Sends a message that has no answer. A message to a process that has ended is lost; `ask` reports the end. */
  tell(message: Message): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Sends a message, and waits for the answer, or for the end of the process without an answer. */
  async ask(message: Message): Promise<{ readonly answer: Answer } | { readonly ended: Ended }> {
    const { promise, resolve } = Promise.withResolvers<{ readonly answer: Answer } | { readonly ended: Ended }>();
    this.#child.once('message', (answer: Answer) => resolve({ answer }));
    void this.#ended.then((ended) => resolve({ ended }));
    this.tell(message);
    return promise;
  }

  /** Ends the process and all that it has started. */
  [Symbol.dispose](): void {
    running.delete(this);
    const { pid } = this.#child;
    if (pid !== undefined) killGroup(pid);
  }
}
