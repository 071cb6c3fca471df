import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { Observation } from '#lib/desired/observation.ts';
import { scopedName } from '#lib/desired/observe/scoped-name.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { ImpureFunctionError } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import { assertPure, type Repeatable } from '#lib/loop/pass/compute/purity.ts';

type KindFunction = (seen: Observation<AnyResource>) => Desired<unknown>;

/** Number of calls that are repeated in another millisecond, so that a time in the result differs. */
const MOST_WAITS = 100;

const waitForNextMillisecond = (): void => {
  const startMs = Date.now();
  while (Date.now() === startMs);
};

/**
 * Calls the functions of kinds a second time with the same observation, to find impure functions: their results depend on the
 * time, on randomness or on earlier calls. The first result counts, as in an operator, which calls a function only once.
 */
export class ImpureFunctions {
  /** One sentence for each impure function, by the function in words. */
  readonly #notes = new Map<string, string>();
  #waits = 0;

  /** One sentence for each impure function. */
  get notes(): readonly string[] {
    return [...this.#notes.values()];
  }

  /** Returns a definition whose functions are checked at each call. */
  over(definition: AnyKindDefinition): AnyKindDefinition {
    const { kind, desired, finalize } = definition;
    const checked =
      (what: string, call: KindFunction): KindFunction =>
      (seen) => {
        const result = call(seen);
        // The loop reports a result of another type as an error.
        if (isPlainObject(result) && !this.#notes.has(what))
          this.#repeat(what, seen, { desired: result, again: () => call(seen) });
        return result;
      };
    return {
      ...definition,
      desired: checked(`desired() of ${kind}`, desired),
      ...(finalize && { finalize: checked(`finalize() of ${kind}`, finalize) }),
    };
  }

  #repeat(what: string, seen: Observation<AnyResource>, { desired, again }: Omit<Repeatable, 'what'>): void {
    this.#waits += 1;
    if (this.#waits <= MOST_WAITS) waitForNextMillisecond();
    try {
      assertPure({ what, desired, again });
    } catch (error) {
      if (!(error instanceof ImpureFunctionError)) throw error;
      const { path, message } = error.impurity;
      this.#notes.set(
        what,
        `${what} is not pure: with the same observation of ${scopedName(seen.resource, { from: '' })}, ` +
          `${path === '' ? 'it' : path} ${message}. Some of these changes can be noise, and can differ in the next plan; ` +
          'compute the result from the observation alone',
      );
    }
  }
}
