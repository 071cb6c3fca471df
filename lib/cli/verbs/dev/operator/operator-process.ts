import type { ChildProcess } from 'node:child_process';
import { entryBeside, forkEntry } from '../../../child/answering-process.ts';
import { type Ended, endOf } from '../../../child/child-end.ts';
import type { Writer } from '../../../shell/context.ts';
import type { FileHashes, FromOperator, Loaded, NotLoaded, ToOperator } from '../messages.ts';
import type { ProjectOptions } from '../project.ts';
import { type HungCall, withGuardLines } from './guard-lines.ts';

const ENTRY = entryBeside(import.meta.url);

/** Grace period of a stop, in milliseconds: two seconds for passes, and the rest for the other parts of the shutdown. */
const GRACE_MS = 8000;

/** Maximum time to load kinds, in milliseconds. A load that takes longer counts as failed. */
const LOAD_MS = 30_000;

/** Options of a load. */
export interface LoadOptions {
  /** The configuration file. */
  readonly config: string;
  /** The working directory of the command. Messages show paths below this directory as relative paths. */
  readonly cwd: string;
  readonly options: ProjectOptions;
}

/** The result of a load when the operator process could not be started. */
export interface NotStarted {
  readonly type: 'unstarted';
  readonly ended: Ended;
}

const isAnswer = ({ type }: FromOperator): boolean => type === 'loaded' || type === 'failed';

/** The result of a load that did not finish. */
export const notLoaded = (message: string): NotLoaded => ({ type: 'failed', message });

const endedWhileLoading = (ended: Ended): NotLoaded | NotStarted => {
  if (ended.by === 'failure') return { type: 'unstarted', ended };
  if (ended.by === 'guard') return notLoaded(`the function of ${ended.kind} does not return for ${ended.key}`);
  const how = ended.by === 'exit' ? `exit code ${ended.code}` : ended.signal;
  return notLoaded(`loading the kinds ended the process (${how})`);
};

const endByGuard = async (child: ChildProcess, hung: () => HungCall | undefined): Promise<Ended> => {
  const ended = await endOf(child);
  const call = ended.by === 'signal' ? hung() : undefined;
  return call === undefined ? ended : { by: 'guard', ...call };
};

const tried = (begin: () => ChildProcess): ChildProcess | Error => {
  try {
    return begin();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};

/**
 * An operator in its own process, with an empty module cache.
 *
 * Flow: `start` → `load` → `run` → `stop`. Each process loads and runs at most once.
 *
 * Guarantees: Ctrl-C in the terminal does not reach the process. The process ends after `stop` or `kill`, and when its parent
 * process ends.
 */
export class OperatorProcess {
  /** The process; undefined if Node could not start it. */
  readonly #child: ChildProcess | undefined;
  readonly #files: Record<string, string> = {};
  readonly #onExit = (): void => this.kill();
  readonly ended: Promise<Ended>;
  /** Resolves when the loop has started; never, if the process ends before. */
  readonly started: Promise<void>;

  private constructor(child: ChildProcess | Error, hung: () => HungCall | undefined) {
    this.#child = child instanceof Error ? undefined : child;
    this.ended = child instanceof Error ? Promise.resolve({ by: 'failure', error: child }) : endByGuard(child, hung);
    process.on('exit', this.#onExit);
    void this.ended.then(() => process.off('exit', this.#onExit));
    this.#child?.on('message', (message: FromOperator) => {
      if (message.type === 'reads') this.#files[message.path] = message.hash;
    });
    this.started = this.#received(({ type }) => type === 'started').then(() => undefined);
  }

  /**
   * Starts a process, which loads all modules except the kinds, and waits. If the start fails, `ended` resolves with the error.
   *
   * @param output - receives the output of the process
   * @param begin - starts the process. @default forks the entry point
   */
  static start(output: Writer, begin: () => ChildProcess = () => forkEntry(ENTRY, 'pipe')): OperatorProcess {
    const child = tried(begin);
    const watched = withGuardLines(output);
    // The pipes are missing if the system had no resources for them.
    for (const stream of child instanceof Error ? [] : [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => watched.write(text));
    return new OperatorProcess(child, () => watched.hung());
  }

  /** Loads kinds. Resolves with the needs of the kinds, or with the reason why the kinds could not be loaded. */
  async load(options: LoadOptions): Promise<Loaded | NotLoaded | NotStarted> {
    const answer = this.#received(isAnswer) as Promise<Loaded | NotLoaded>;
    this.#send({ type: 'load', ...options });
    const { promise: late, resolve } = Promise.withResolvers<NotLoaded>();
    const timer = setTimeout(() => resolve(notLoaded(`loading the kinds took more than ${LOAD_MS / 1000} s`)), LOAD_MS);
    const first = await Promise.race([answer, late, this.ended.then(endedWhileLoading)]);
    clearTimeout(timer);
    return first;
  }

  /** The project files that the process has loaded, and the missing files that an import names by a path. */
  get files(): FileHashes {
    return this.#files;
  }

  run(order: Omit<Extract<ToOperator, { type: 'run' }>, 'type'>): void {
    this.#send({ type: 'run', ...order });
  }

  /** Ends the process gracefully. After the grace period, kills it. */
  async stop(): Promise<void> {
    this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), GRACE_MS);
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  async #received(isMeant: (message: FromOperator) => boolean): Promise<FromOperator> {
    const { promise, resolve } = Promise.withResolvers<FromOperator>();
    this.#child?.on('message', (message: FromOperator) => {
      if (isMeant(message)) resolve(message);
    });
    return promise;
  }

  #send(message: ToOperator): void {
    // A process that has ended or could not be started has no open channel.
    if (this.#child?.connected === true) this.#child.send(message, () => undefined);
  }
}
