import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { atOnce } from './detached.ts';
import { LIMIT_MS } from './watchdog.ts';

const itself = (resource: AnyResource): AnyResource => resource;

/**
 * Records which function of a definition or scenario is being called. The error for a call that never returns names this
 * function.
 */
export class Guard {
  /** The call that has begun and not returned, in words; '' if there is none. */
  #called = '';
  readonly #over = new WeakMap<readonly AnyKindDefinition[], readonly AnyKindDefinition[]>();

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

  /** Returns a definition that reports each call of its functions, except `steer`, to the guard, with the resource of the call. */
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

  /** Returns the result of `over` for each definition of a list; the same list for the same definitions every time. */
  overAll(definitions: readonly AnyKindDefinition[]): readonly AnyKindDefinition[] {
    const over = this.#over.get(definitions) ?? definitions.map((definition) => this.over(definition));
    this.#over.set(definitions, over);
    return over;
  }

  /**
   * The message for a step that was terminated. The message names the function that did not return, or the step if there is
   * none. The guard then forgets the call.
   */
  hangInWords(label: string): string {
    const what = this.#called === '' ? `What "${label}" set off did not end` : `${this.#called} did not return`;
    this.#called = '';
    return `${what} within ${LIMIT_MS} ms`;
  }
}
