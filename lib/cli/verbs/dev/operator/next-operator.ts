import { setTimeout as sleep } from 'node:timers/promises';
import type { FileWatch } from '../file-watch.ts';
import type { Loaded, NotLoaded } from '../messages.ts';
import { type LoadOptions, type NotStarted, notLoaded } from './operator-process.ts';
import type { DevOperator } from './working-operator.ts';

/** Maximum wait in milliseconds: for a load of kinds after another save, and for the start of an operator. */
export const IMPATIENCE_MS = 1000;

/** Options for {@link NextOperator}. */
export interface NextOperatorOptions {
  /** The first process, if it is already started. It has not loaded kinds yet. */
  readonly operator: DevOperator | undefined;
  /** Starts a process. */
  readonly start: () => DevOperator;
  readonly watch: Pick<FileWatch, 'untilSaved'>;
}

/** An operator process and the result of loading its kinds. */
export interface Tried {
  readonly operator: DevOperator;
  readonly loaded: Loaded | NotLoaded | NotStarted;
}

/**
 * Keeps the next operator process, which loads all modules except the kinds in advance. A restart then only has to load the
 * kinds.
 */
export class NextOperator {
  readonly #options: NextOperatorOptions;
  #waiting: DevOperator | undefined;

  constructor(options: NextOperatorOptions) {
    this.#options = options;
    this.#keep(options.operator);
  }

  prepare(): DevOperator {
    const operator = this.#options.start();
    this.#keep(operator);
    return operator;
  }

  /**
   * Loads kinds in the waiting process. Starts a process if there is none. If a file is saved during the load, a load that takes
   * another second counts as failed.
   */
  async load(options: LoadOptions): Promise<Tried> {
    const operator = this.#waiting ?? this.prepare();
    return { operator, loaded: await Promise.race([operator.load(options), this.#impatience()]) };
  }

  /** Releases the loaded process, which becomes the running operator. */
  release(): void {
    this.#waiting = undefined;
  }

  async end(): Promise<void> {
    const waiting = this.#waiting;
    waiting?.kill();
    await waiting?.ended;
  }

  #keep(operator: DevOperator | undefined): void {
    this.#waiting = operator;
    const forget = (): void => {
      if (this.#waiting === operator) this.#waiting = undefined;
    };
    void operator?.ended.then(forget);
  }

  async #impatience(): Promise<NotLoaded> {
    await this.#options.watch.untilSaved();
    await sleep(IMPATIENCE_MS, undefined, { ref: false });
    return notLoaded('loading the kinds took long, and something else was saved');
  }
}
