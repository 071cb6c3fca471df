import { setTimeout as sleep } from 'node:timers/promises';
import type { FileWatch } from './file-watch.ts';
import type { Loaded, NotLoaded } from './messages.ts';
import { type LoadOptions, type NotStarted, notLoaded } from './operator-process.ts';
import type { Operator } from './working-operator.ts';

/** What takes longer than this is not waited for when something else is to be done, in milliseconds. */
export const IMPATIENCE_MS = 1000;

/** What a {@link NextOperator} is made of. */
export interface NextOperatorOptions {
  /** The first one, where it was started already; it has loaded nothing yet. */
  readonly operator: Operator | undefined;
  /** Starts another one. */
  readonly start: () => Operator;
  readonly watch: Pick<FileWatch, 'untilSaved'>;
}

/** An operator, and what came of loading its kinds. */
export interface Tried {
  readonly operator: Operator;
  readonly loaded: Loaded | NotLoaded | NotStarted;
}

/** The operator that comes next: it waits with everything loaded but the kinds, so that a save costs the kinds alone. */
export class NextOperator {
  readonly #options: NextOperatorOptions;
  #waiting: Operator | undefined;

  constructor(options: NextOperatorOptions) {
    this.#options = options;
    this.#keep(options.operator);
  }

  /** Starts one that waits. */
  prepare(): Operator {
    const operator = this.#options.start();
    this.#keep(operator);
    return operator;
  }

  /** Loads kinds in the one that waits; started now if none does. Loading for ever is given up when something else is saved. */
  async load(options: LoadOptions): Promise<Tried> {
    const operator = this.#waiting ?? this.prepare();
    return { operator, loaded: await Promise.race([operator.load(options), this.#impatience()]) };
  }

  /** The one that was loaded works: it is not the next one any more. */
  release(): void {
    this.#waiting = undefined;
  }

  /** Ends the one that waits, or loads. */
  async end(): Promise<void> {
    const waiting = this.#waiting;
    waiting?.kill();
    await waiting?.ended;
  }

  /** One that ends while it waits is of no use. */
  #keep(operator: Operator | undefined): void {
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
