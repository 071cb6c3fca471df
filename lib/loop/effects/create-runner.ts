import type { EffectHosts } from '#lib/desired/hosts/effect-hosts.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { HttpPerformer } from '#lib/kube/interface/http.ts';
import type { Leadership } from '#lib/loop/election/leadership.ts';
import { type DryRunOptions, performDryRun } from './dry-run.ts';
import { performHttp } from './http.ts';
import { EffectRunner, type EffectRunnerOptions } from './runner.ts';
import type { Perform } from './tries.ts';

/** The client and the allowed hosts of HTTP requests of effects. The installation of the operator sets the hosts. */
export interface EffectsOptions extends EffectHosts {
  readonly perform: HttpPerformer;
  /**
   * Whether attempts have no time limit. True for simulations, because a slow response is not a failure there.
   *
   * @default false
   */
  readonly waitsForever?: boolean;
}

/** The parts of a controller that its effects use. */
export type RunnerOptions = Omit<EffectRunnerOptions, 'perform'> & DryRunOptions & { readonly api: KubeApi };

const noHttp: EffectsOptions = {
  // No host is allowed, so this function is never called.
  perform: () => Promise.reject(new Error('There is no HTTP client')),
};

/** Makes the runner of the effects of one kind. */
export const createEffectRunner = (options: RunnerOptions, http: EffectsOptions = noHttp): EffectRunner => {
  const { api } = options;
  const perform: Perform = async (effect, { resource, signal }) =>
    effect.effect === 'http'
      ? performHttp({ api, ...http }, resource.metadata, { effect, signal })
      : performDryRun(options, resource, effect);
  return new EffectRunner({ ...options, perform, waitsForever: http.waitsForever === true });
};

/**
 * Wraps the client of HTTP requests of effects: a request waits until the process may write, and rejects when the leadership has
 * ended.
 *
 * Caveats: a request can take longer than the lease. The next leader may then send the request again, with the same idempotency
 * key.
 */
export const fencedEffects = ({ perform, ...options }: EffectsOptions, leadership: Leadership): EffectsOptions => ({
  ...options,
  perform: async (request) => {
    if (!leadership.mayWrite()) await leadership.untilMayWrite();
    return perform(request);
  },
});
