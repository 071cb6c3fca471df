import type { Desired } from '#lib/desired/desired.ts';
import { UnsupportedError } from '#lib/errors.ts';

/**
 * Refuses a result that asks for what this version of the loop does not do; nothing of it is carried out.
 *
 * @throws {UnsupportedError} naming the part
 */
export const assertSupportedResult = ({ effects = [] }: Desired<unknown>): void => {
  if (effects.length > 0)
    throw new UnsupportedError('desired() asked for effects, which this version of the loop does not support');
};
