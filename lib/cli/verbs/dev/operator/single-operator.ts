import { ConfigurationError } from '#lib/errors.ts';
import type { Ended } from '../../../child/child-end.ts';
import { wordsOfEnd } from '../output.ts';
import type { Project } from '../project.ts';
import { type OperatorPlace, operatorEnvironment } from './operator-environment.ts';
import { type LoadOptions, OperatorProcess } from './operator-process.ts';

/**
 * An operator that runs once and is not restarted.
 *
 * Flow: constructor → `load` → the caller installs the needs of the kinds → `run` → `stop`.
 *
 * Guarantees: if the process ends by itself, or with a code other than 0, the error contains its output. The process ends at the
 * end of its scope.
 */
export class SingleOperator implements AsyncDisposable {
  readonly #output: string[] = [];
  readonly #process = OperatorProcess.start({ write: (text) => this.#output.push(text) });
  /** Rejects when the process has ended. */
  readonly failed: Promise<never> = this.#process.ended.then((ended) => {
    throw this.#errorOf(ended);
  });

  constructor() {
    this.failed.catch(() => undefined);
  }

  /**
   * Loads the kinds, and returns the needs of the operator.
   *
   * @throws {ConfigurationError} when the kinds cannot be loaded
   */
  async load(options: LoadOptions): Promise<Project> {
    const loaded = await this.#process.load(options);
    if (loaded.type === 'loaded') return loaded.project;
    throw loaded.type === 'failed' ? new ConfigurationError(loaded.message) : this.#errorOf(loaded.ended);
  }

  /**
   * Starts the loop; resolves when it has started.
   *
   * @throws {ConfigurationError} when the process ends before the start
   */
  async run(place: OperatorPlace): Promise<void> {
    this.#process.run({ env: operatorEnvironment({}, place), isTerminal: false });
    await Promise.race([this.#process.started, this.failed]);
  }

  /**
   * Ends the process.
   *
   * @throws {ConfigurationError} when the process does not end gracefully
   */
  async stop(): Promise<void> {
    await this.#process.stop();
    const ended = await this.#process.ended;
    if (ended.by !== 'exit' || ended.code !== 0) throw this.#errorOf(ended);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process.stop();
  }

  #errorOf(ended: Ended): ConfigurationError {
    return new ConfigurationError(`${this.#output.join('')}${wordsOfEnd(ended)}`);
  }
}
