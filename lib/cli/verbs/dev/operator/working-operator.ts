import type { Ended } from '../../../child/child-end.ts';
import type { DevOutput } from '../output.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { RestartPolicy } from './restart-policy.ts';

/** The part of an operator process that a session uses. */
export type DevOperator = Pick<OperatorProcess, 'ended' | 'started' | 'files' | 'load' | 'run' | 'stop' | 'kill'>;

/** Options of a start. */
export interface Turn {
  readonly order: Parameters<DevOperator['run']>[0];
  /** Called when the loop has started. @param isFirst - whether this is the first operator of the session */
  readonly onStarted: (isFirst: boolean) => void;
}

/**
 * The running operator; at most one at a time.
 *
 * Guarantees: prints a message if the operator ends by itself, and schedules a restart.
 */
export class WorkingOperator {
  readonly #output: Pick<DevOutput, 'ended'>;
  readonly #restarts: RestartPolicy;
  #current: DevOperator | undefined;
  #hasBegun = false;

  constructor({ output, restarts }: { readonly output: Pick<DevOutput, 'ended'>; readonly restarts: RestartPolicy }) {
    this.#output = output;
    this.#restarts = restarts;
  }

  get isThere(): boolean {
    return this.#current !== undefined;
  }

  /** Whether `replace` has started an operator before. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Ends the running operator gracefully, then starts the next one. */
  async replace(operator: DevOperator, { order, onStarted }: Turn): Promise<void> {
    await this.stop();
    const isFirst = !this.#hasBegun;
    operator.run(order);
    this.#current = operator;
    this.#hasBegun = true;
    this.#restarts.began();
    void this.#follow(operator);
    void operator.started.then(() => onStarted(isFirst));
  }

  async stop(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    await current?.stop();
  }

  async #follow(operator: DevOperator): Promise<void> {
    const ended: Ended = await operator.ended;
    // If this operator is not the current operator, `stop` or `replace` has ended it.
    if (this.#current !== operator) return;
    this.#current = undefined;
    this.#output.ended(ended, this.#restarts.ended());
  }
}
