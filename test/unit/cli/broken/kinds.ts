import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { portal, website } from '#test/unit/foresight/served/portal.ts';

/** A kind whose function throws for one text, does not return for another, and returns undefined for a third. */
const moody = {
  ...website,
  desired: (seen) => {
    if (seen.resource.spec.text === 'throw') throw new TypeError('boom');
    if (seen.resource.spec.text === 'loop') for (;;);
    if (seen.resource.spec.text === 'empty') return undefined as never;
    return website.desired(seen);
  },
} satisfies typeof website;

/** Kinds with faults that commands must handle. */
export const brokenKinds: readonly AnyKindDefinition[] = [moody, portal];
