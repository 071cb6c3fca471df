import type { Ended } from './child-end.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { RestartPolicy } from './restart-policy.ts';
import type { Telling } from './telling.ts';

/** What a session does with an operator. */
export type Operator = Pick<OperatorProcess, 'ended' | 'started' | 'files' | 'load' | 'run' | 'stop' | 'kill'>;

/** How it begins to work. */
export interface Turn {
  readonly order: Parameters<Operator['run']>[0];
  /** Called when its loop works. @param isFirst - whether none worked before */
  readonly onStarted: (isFirst: boolean) => void;
}

/**
 * The operator that works, at most one at a time.
 *
 * Guarantees: one that ends by itself is told, and another one becomes due.
 */
export class WorkingOperator {
  readonly #telling: Pick<Telling, 'ended'>;
  readonly #restarts: RestartPolicy;
  #current: Operator | undefined;
  #hasBegun = false;

  constructor({ telling, restarts }: { readonly telling: Pick<Telling, 'ended'>; readonly restarts: RestartPolicy }) {
    this.#telling = telling;
    this.#restarts = restarts;
  }

  /** Whether one works. */
  get isThere(): boolean {
    return this.#current !== undefined;
  }

  /** Whether one has ever begun to work. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Ends the one that works in order, then another one begins. */
  async replace(operator: Operator, { order, onStarted }: Turn): Promise<void> {
    await this.stop();
    const isFirst = !this.#hasBegun;
    operator.run(order);
    this.#current = operator;
    this.#hasBegun = true;
    this.#restarts.began();
    void this.#follow(operator);
    void operator.started.then(() => onStarted(isFirst));
  }

  /** Ends the one that works, in order. */
  async stop(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    await current?.stop();
  }

  async #follow(operator: Operator): Promise<void> {
    const ended: Ended = await operator.ended;
    // Otherwise somebody had told it to.
    if (this.#current !== operator) return;
    this.#current = undefined;
    this.#telling.ended(ended, this.#restarts.ended());
  }
}
