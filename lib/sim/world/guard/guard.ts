import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { scopedName } from '#lib/desired/observe/scoped-name.ts';
import { hungIn } from '#lib/desired/runaway/limited-kind.ts';
import { type KindFunction, withCalls } from '#lib/desired/runaway/with-calls.ts';
import { atOnce } from './detached.ts';
import { LIMIT_MS } from './watchdog.ts';

/**
 * Records which function of a definition or scenario is being called. The error for a call that never returns names this
 * function.
 */
export class Guard {
  /** The call that has begun and not returned, in words; '' if there is none. */
  #called = '';
  /** The function of a kind in this call; undefined for a call of something else. */
  #function: KindFunction | undefined;
  readonly #over = new WeakMap<readonly AnyKindDefinition[], readonly AnyKindDefinition[]>();

  /**
   * Calls a function that must be synchronous.
   *
   * @throws {TypeError} when the function returns a promise; also throws the errors of the function
   */
  call<Result>(what: string, call: () => Result, called?: KindFunction): Result {
    this.#called = what;
    this.#function = called;
    try {
      return atOnce(call());
    } finally {
      this.#called = '';
    }
  }

  /** Returns a definition that reports each call of its functions, except `steer`, to the guard, with the resource of the call. */
  over(definition: AnyKindDefinition): AnyKindDefinition {
    return withCalls(definition, (resource, call, called, name) =>
      this.call(`${name}() of ${definition.kind} for ${scopedName(resource, { from: '' })}`, call, called),
    );
  }

  /** Returns the result of `over` for each definition of a list; the same list for the same definitions every time. */
  overAll(definitions: readonly AnyKindDefinition[]): readonly AnyKindDefinition[] {
    const over = this.#over.get(definitions) ?? definitions.map((definition) => this.over(definition));
    this.#over.set(definitions, over);
    return over;
  }

  /**
   * Describes a step that was terminated. The message names the function that did not return, or the step if there is none. The
   * stack of `cause` is the position of a function of a kind. The guard then forgets the call.
   */
  hangOf(label: string): readonly [message: string, options: { readonly cause?: Error }] {
    const what = this.#called === '' ? `What "${label}" set off did not end` : `${this.#called} did not return`;
    const cause = this.#called === '' || !this.#function ? {} : { cause: hungIn(this.#function) };
    this.#called = '';
    return [`${what} within ${LIMIT_MS} ms`, cause];
  }
}
