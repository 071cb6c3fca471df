import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { atOnce } from './detached.ts';
import { LIMIT_MS } from './watchdog.ts';

/** Knows which function of the scenario's author is being called, or was and never returned. */
export class Guard {
  /** What is being called; '' for nothing. */
  #called = '';

  /**
   * Calls a function that must give its result at once.
   *
   * @throws {TypeError} when it returns a promise, and whatever the function throws
   */
  call<Result>(what: string, call: () => Result): Result {
    this.#called = what;
    try {
      return atOnce(call());
    } finally {
      this.#called = '';
    }
  }

  /** A definition whose calls are known. */
  over(definition: AnyKindDefinition): AnyKindDefinition {
    const what = `desired() of ${definition.kind}`;
    return { ...definition, desired: (seen) => this.call(what, () => definition.desired(seen)) };
  }

  /** What to say of a step that had to be ended: whether a function under test was to blame, or the loop. */
  hangInWords(label: string): string {
    const what = this.#called === '' ? `What "${label}" set off did not end` : `${this.#called} did not return`;
    return `${what} within ${LIMIT_MS} ms`;
  }
}
