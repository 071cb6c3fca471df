import type { Desired } from '#lib/desired/desired.ts';
import { UnsupportedError } from '#lib/errors.ts';

/**
 * Refuses a result that asks for what this version of the loop does not do; nothing of it is carried out.
 *
 * @throws {UnsupportedError} naming the part
 */
export const assertSupportedResult = ({ effects = [], events = [] }: Desired<unknown>): void => {
  const unsupported = [...(effects.length > 0 ? ['effects'] : []), ...(events.length > 0 ? ['events'] : [])];
  const [what] = unsupported;
  if (what !== undefined)
    throw new UnsupportedError(`desired() asked for ${what}, which this version of the loop does not support`);
};
