import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import type { Writer } from '../context.ts';
import type { FileHashes, FromOperator, Loaded, NotLoaded, ToOperator } from './messages.ts';
import type { ProjectOptions } from './project.ts';

/** Beside this file, with its ending: `.ts` in the source, `.js` in the package. */
const ENTRY = new URL(`./operator${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

/** How long it may take to end in order, in milliseconds: two seconds for its passes, and the lease and events. */
const GRACE_MS = 8000;

/** How long kinds may take to be loaded, in milliseconds; more is an endless loop, or a request. */
const LOAD_MS = 30_000;

/** Where kinds are, and for what. */
export interface LoadOptions {
  /** The configuration file. */
  readonly config: string;
  /** What paths in messages are relative to. */
  readonly cwd: string;
  readonly options: ProjectOptions;
}

/** How it ended. */
export interface Ended {
  /** Null when a signal ended it, or nothing could be started. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const isAnswer = ({ type }: FromOperator): boolean => type === 'loaded' || type === 'failed';

/** Kinds that could not even be tried to the end. */
export const notLoaded = (message: string): NotLoaded => ({ type: 'failed', message });

/**
 * An operator in a process of its own, which knows nothing of the files that others have loaded before.
 *
 * Flow: `start` → `load` → `run` → `stop`. Each process loads once, and runs once.
 *
 * Guarantees: it does not hear the Ctrl-C of the terminal; who started it ends it. When this process ends, however it does, it ends, too.
 */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #files: Record<string, string> = {};
  readonly #onExit = (): void => void this.#child.kill('SIGKILL');
  /** Resolves when it has ended. */
  readonly ended: Promise<Ended>;
  /** Resolves when its loop works; never, when it ends before. */
  readonly started: Promise<void>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    process.on('exit', this.#onExit);
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.ended = promise;
    const end = (code: number | null, signal: NodeJS.Signals | null): void => {
      process.off('exit', this.#onExit);
      resolve({ code, signal });
    };
    child.once('exit', end);
    // One that could not be started tells no exit.
    child.on('error', () => {
      if (child.pid === undefined) end(null, null);
    });
    child.on('message', (message: FromOperator) => {
      if (message.type === 'reads') this.#files[message.path] = message.hash;
    });
    this.started = this.#told(({ type }) => type === 'started').then(() => undefined);
  }

  /**
   * Starts one; it waits, with everything loaded but the kinds.
   *
   * @param output - where it writes
   */
  static start(output: Writer): OperatorProcess {
    // A group of its own: the Ctrl-C of a terminal goes to whole groups.
    const child = fork(ENTRY, [String(process.pid)], { detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => void output.write(text));
    return new OperatorProcess(child);
  }

  /** Loads kinds; resolves with what they need, or why they could not be loaded. */
  async load(options: LoadOptions): Promise<Loaded | NotLoaded> {
    const answer = this.#told(isAnswer) as Promise<Loaded | NotLoaded>;
    this.#tell({ type: 'load', ...options });
    const { promise: late, resolve } = Promise.withResolvers<NotLoaded>();
    const timer = setTimeout(() => resolve(notLoaded(`loading the kinds took more than ${LOAD_MS / 1000} s`)), LOAD_MS);
    const ended = this.ended.then(({ code, signal }) =>
      notLoaded(`loading the kinds ended the process (${signal ?? code})`),
    );
    const first = await Promise.race([answer, late, ended]);
    clearTimeout(timer);
    return first;
  }

  /** The files of the project that it has read, or looked for. */
  get files(): FileHashes {
    return this.#files;
  }

  /** Begins to work. */
  run(order: Omit<Extract<ToOperator, { type: 'run' }>, 'type'>): void {
    this.#tell({ type: 'run', ...order });
  }

  /** Ends it in order; at once when it does not in time. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), GRACE_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends it at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #told(isMeant: (message: FromOperator) => boolean): Promise<FromOperator> {
    const { promise, resolve } = Promise.withResolvers<FromOperator>();
    this.#child.on('message', (message: FromOperator) => {
      if (isMeant(message)) resolve(message);
    });
    return promise;
  }

  #tell(message: ToOperator): void {
    // One that has ended is told nothing; `ended` says so.
    this.#child.send(message, () => undefined);
  }
}
