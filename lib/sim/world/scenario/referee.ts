import type { Actor } from '#lib/controllers/actor.ts';
import type { SimulationError } from '#lib/errors.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import { keyText } from '#lib/loop/context/key.ts';
import { type Called, detached } from '#lib/sim/world/guard/detached.ts';
import type { Guard } from '#lib/sim/world/guard/guard.ts';
import { assertActors } from '#lib/sim/world/step/actor-steps.ts';
import { errorInWords } from '#lib/sim/world/step/wording.ts';
import { firstViolation } from './invariants.ts';
import type { ClusterView, Invariant } from './scenario.ts';

/** Options for {@link Referee}: the objects of its checks, and a function that makes errors with the position in the run. */
export interface RefereeOptions {
  readonly view: ClusterView;
  readonly guard: Guard;
  readonly invariants: readonly Invariant[];
  readonly actors: readonly Actor[];
  readonly errorAt: (what: string, options?: { readonly cause?: unknown }) => SimulationError;
}

/** Checks after each step of a run that no invariant is violated and no function has failed. */
export class Referee {
  readonly #options: RefereeOptions;
  #violation: string | undefined;
  #failure: PassFailure | undefined;

  constructor(options: RefereeOptions) {
    this.#options = options;
  }

  /** The first violation of an invariant; `undefined` if there is none. */
  get violation(): string | undefined {
    return this.#violation;
  }

  /**
   * Records a failed function of a kind or a failed pass. The loop continues after such a failure, but the run counts as failed.
   */
  hear(failure: PassFailure): void {
    this.#failure ??= failure;
  }

  /**
   * Reports the failure of a call, or of a function or pass during the call.
   *
   * @param prefix - the start of the message for an error that the call threw
   * @throws {SimulationError} for a call that never returned, for a reported failure, and for other errors
   */
  assertWell(called: Called, label: string, { prefix = '' }: { readonly prefix?: string } = {}): void {
    const { guard, errorAt } = this.#options;
    if (called.hangs) throw errorAt(...guard.hangOf(label));
    if (this.#failure !== undefined) {
      const { what, key, error } = this.#failure;
      throw errorAt(`${what} failed for ${keyText(key)}: ${errorInWords(error)}`, { cause: error });
    }
    if ('error' in called) throw errorAt(`${prefix}${errorInWords(called.error)}`, { cause: called.error });
  }

  /**
   * Checks that all invariants hold, and that every actor can compute its next steps.
   *
   * @param label - the label of the step that was taken
   * @throws {SimulationError} for an invariant or an actor that throws, never returns, or returns an invalid value
   */
  async lookAround(label: string): Promise<void> {
    const { invariants, actors, view, guard } = this.#options;
    if (invariants.length + actors.length === 0) return;
    const called = await detached(() => {
      this.#violation ??= firstViolation(invariants, { view, guard });
      assertActors(actors, guard);
    });
    this.assertWell(called, label);
  }
}
