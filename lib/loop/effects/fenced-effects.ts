import type { Leadership } from '#lib/loop/election/leadership.ts';
import type { EffectsOptions } from './create-runner.ts';

/**
 * Requests to the world outside of the cluster for somebody who may send them only while this process leads.
 *
 * Caveats: a request may take longer than the lease; the next leader may send it again then, under the same idempotency key.
 */
export const fencedEffects = ({ perform, ...options }: EffectsOptions, leadership: Leadership): EffectsOptions => ({
  ...options,
  perform: async (request) => {
    if (!leadership.mayWrite()) await leadership.untilMayWrite();
    return perform(request);
  },
});
