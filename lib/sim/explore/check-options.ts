import { SimulationError } from '#lib/errors.ts';
import { FAULT_CLASSES } from '#lib/sim/world/step/step.ts';

/** The allowed values of numeric options. */
export interface OptionBounds {
  /** The name of the called function, for messages. */
  readonly of: string;
  /** The smallest allowed number. @default 0 */
  readonly min?: number;
  /** Whether numbers that are not integers are allowed. @default false */
  readonly mayBeFraction?: boolean;
}

/**
 * Checks that each given option is a number of the required type, and not below the minimum. An option may be absent.
 *
 * @throws {SimulationError} with the name, the value, and the allowed values
 */
export const assertNumbers = (
  given: Readonly<Record<string, unknown>>,
  { of, min = 0, mayBeFraction = false }: OptionBounds,
): void => {
  for (const [name, value] of Object.entries(given)) {
    const isRight = mayBeFraction ? Number.isFinite(value) : Number.isSafeInteger(value);
    if (value === undefined || (isRight && Number(value) >= min)) continue;
    const sort = mayBeFraction ? 'a number' : 'an integer';
    throw new SimulationError(
      `Cannot ${of}: ${name} is ${typeof value === 'number' ? value : typeof value}; it must be ${sort}, ${min} or more`,
    );
  }
};

/**
 * Checks that each name in `given` is a class of faults, or one of the additional names.
 *
 * @param more - additional names that are allowed
 * @throws {SimulationError} with the refused name and the allowed names
 */
export const assertClasses = (
  given: Readonly<Record<string, unknown>>,
  { of, more = [] }: { readonly of: string; readonly more?: readonly string[] },
): void => {
  const allowed: readonly string[] = [...FAULT_CLASSES, ...more];
  const unknown = Object.keys(given).find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  throw new SimulationError(`Cannot ${of}: there is no class "${unknown}"; the classes are ${allowed.join(', ')}`);
};

/**
 * Checks that a seed is a safe integer.
 *
 * @throws {SimulationError} for any other seed, because two such seeds could give the same run
 */
export const assertSeed = (seed: unknown): void => {
  if (Number.isSafeInteger(seed)) return;
  throw new SimulationError(`Cannot run seed ${String(seed)}: a seed is an integer within ±(2^53 - 1)`);
};
