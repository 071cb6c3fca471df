import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import type { Writer } from '../context.ts';
import { type Ended, endOf } from './child-end.ts';
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

/** No process could be started to load the kinds. */
export interface NotStarted {
  readonly type: 'unstarted';
  readonly ended: Ended;
}

const isAnswer = ({ type }: FromOperator): boolean => type === 'loaded' || type === 'failed';

/** Kinds that could not even be tried to the end. */
export const notLoaded = (message: string): NotLoaded => ({ type: 'failed', message });

const endedWhileLoading = (ended: Ended): NotLoaded | NotStarted => {
  if (ended.by === 'failure') return { type: 'unstarted', ended };
  const how = ended.by === 'exit' ? `exit code ${ended.code}` : ended.signal;
  return notLoaded(`loading the kinds ended the process (${how})`);
};

// A group of its own: the Ctrl-C of a terminal goes to whole groups.
const forkOperator = (): ChildProcess =>
  fork(ENTRY, [String(process.pid)], { detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });

const tried = (begin: () => ChildProcess): ChildProcess | Error => {
  try {
    return begin();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};

/**
 * An operator in a process of its own, which knows nothing of the files that others have loaded before.
 *
 * Flow: `start` → `load` → `run` → `stop`. Each process loads once, and runs once.
 *
 * Guarantees: it does not hear the Ctrl-C of the terminal; who started it ends it. When this process ends, however it does, it ends, too.
 */
export class OperatorProcess {
  /** Absent when Node could not even try. */
  readonly #child: ChildProcess | undefined;
  readonly #files: Record<string, string> = {};
  readonly #onExit = (): void => this.kill();
  /** Resolves when it has ended. */
  readonly ended: Promise<Ended>;
  /** Resolves when its loop works; never, when it ends before. */
  readonly started: Promise<void>;

  private constructor(child: ChildProcess | Error) {
    this.#child = child instanceof Error ? undefined : child;
    this.ended = child instanceof Error ? Promise.resolve({ by: 'failure', error: child }) : endOf(child);
    process.on('exit', this.#onExit);
    void this.ended.then(() => process.off('exit', this.#onExit));
    this.#child?.on('message', (message: FromOperator) => {
      if (message.type === 'reads') this.#files[message.path] = message.hash;
    });
    this.started = this.#told(({ type }) => type === 'started').then(() => undefined);
  }

  /**
   * Starts one; it waits, with everything loaded but the kinds. Of one that cannot be started `ended` tells.
   *
   * @param output - where it writes
   * @param begin - starts the process. @default this program's own
   */
  static start(output: Writer, begin: () => ChildProcess = forkOperator): OperatorProcess {
    const child = tried(begin);
    // Without room for its pipes it has none.
    for (const stream of child instanceof Error ? [] : [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => void output.write(text));
    return new OperatorProcess(child);
  }

  /** Loads kinds; resolves with what they need, or why they could not be loaded. */
  async load(options: LoadOptions): Promise<Loaded | NotLoaded | NotStarted> {
    const answer = this.#told(isAnswer) as Promise<Loaded | NotLoaded>;
    this.#tell({ type: 'load', ...options });
    const { promise: late, resolve } = Promise.withResolvers<NotLoaded>();
    const timer = setTimeout(() => resolve(notLoaded(`loading the kinds took more than ${LOAD_MS / 1000} s`)), LOAD_MS);
    const first = await Promise.race([answer, late, this.ended.then(endedWhileLoading)]);
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
    this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), GRACE_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends it at once. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  async #told(isMeant: (message: FromOperator) => boolean): Promise<FromOperator> {
    const { promise, resolve } = Promise.withResolvers<FromOperator>();
    this.#child?.on('message', (message: FromOperator) => {
      if (isMeant(message)) resolve(message);
    });
    return promise;
  }

  #tell(message: ToOperator): void {
    // One that has ended is told nothing; `ended` says so. One that could not be started may have no channel at all.
    if (this.#child?.connected === true) this.#child.send(message, () => undefined);
  }
}
