import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { atOnce } from './detached.ts';
import { LIMIT_MS } from './watchdog.ts';

const itself = (resource: AnyResource): AnyResource => resource;

/** Knows which function of the scenario's author is being called, or was and never returned. */
export class Guard {
  /** What is being called; '' for nothing. */
  #called = '';

  /**
   * Calls a function that must be synchronous.
   *
   * @throws {TypeError} when the function returns a promise; also throws the errors of the function
   */
  call<Result>(what: string, call: () => Result): Result {
    this.#called = what;
    try {
      return atOnce(call());
    } finally {
      this.#called = '';
    }
  }

  /** A definition whose calls are known, each with the resource that it is for. */
  over(definition: AnyKindDefinition): AnyKindDefinition {
    const { kind, desired, finalize, selector, orphanNames } = definition;
    const over =
      <Given, Result>(name: string, resourceOf: (given: Given) => AnyResource, call: (given: Given) => Result) =>
      (given: Given): Result => {
        const { namespace, name: own } = resourceOf(given).metadata;
        return this.call(`${name}() of ${kind} for ${namespace === '' ? own : `${namespace}/${own}`}`, () =>
          call(given),
        );
      };
    return {
      ...definition,
      desired: over('desired', ({ resource }) => resource, desired),
      ...(finalize && { finalize: over('finalize', ({ resource }) => resource, finalize) }),
      ...(selector && { selector: over('selector', itself, selector) }),
      ...(orphanNames && { orphanNames: over('orphanNames', itself, orphanNames) }),
    };
  }

  /** What to say of a step that had to be ended: whether a function under test was to blame, or the loop. */
  hangInWords(label: string): string {
    const what = this.#called === '' ? `What "${label}" set off did not end` : `${this.#called} did not return`;
    return `${what} within ${LIMIT_MS} ms`;
  }
}
