import type { Desired } from '#lib/desired/result/desired.ts';
import { ImpureFunctionError } from '#lib/errors.ts';
import { childPath, isPlainObject } from '#lib/json.ts';

interface Difference {
  readonly path: string;
  readonly first: unknown;
  readonly again: unknown;
}

const isNothing = (value: unknown): boolean => value === undefined || value === null;

/**
 * The first difference between two values. As in the API server, the order of members does not count. A member with the value
 * undefined or null counts as absent.
 *
 * @param pathOf - returns the path of the two values; called for a difference only
 */
const differenceOf = (first: unknown, again: unknown, pathOf: () => string): Difference | undefined => {
  if (Object.is(first, again) || (isNothing(first) && isNothing(again))) return undefined;
  const [before, after] = [first, again] as [Record<string, unknown>, Record<string, unknown>];
  const areLists = Array.isArray(first) && Array.isArray(again);
  if (!areLists && !(isPlainObject(first) && isPlainObject(again))) return { path: pathOf(), first, again };
  const below = (name: string): string => (areLists ? `${pathOf()}[${name}]` : childPath(pathOf(), name));
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const difference = differenceOf(before[name], after[name], () => below(name));
    if (difference) return difference;
  }
  return undefined;
};

/** A result, and a function that computes the result again from the same observation. */
export interface Repeatable {
  /** Names the function and the resource of the call: `desired() of PodSet "default/web"`. */
  readonly what: string;
  readonly desired: Desired<unknown>;
  readonly again: () => unknown;
}

const repeated = ({ what, again }: Repeatable): unknown => {
  try {
    return again();
  } catch (cause) {
    const message = `threw when it was called again: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new ImpureFunctionError(what, { path: '', message }, { cause });
  }
};

/**
 * Calls the function again with the same observation, and compares the two results.
 *
 * @throws {ImpureFunctionError} when the results differ, with the path of the first difference, or when the second call throws
 */
export const assertPure = (call: Repeatable): void => {
  const result = repeated(call);
  if (result instanceof Promise) result.catch(() => undefined);
  const difference = differenceOf(call.desired, result, () => '');
  if (difference === undefined) return;
  const { path, first, again } = difference;
  throw new ImpureFunctionError(call.what, { path, message: 'came out differently the second time', first, again });
};
