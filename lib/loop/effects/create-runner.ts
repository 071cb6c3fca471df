import type { AllowedHosts } from '#lib/desired/allowed-hosts.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { HttpPerformer } from '#lib/kube/http.ts';
import { type DryRunOptions, performDryRun } from './dry-run.ts';
import { performHttp } from './http.ts';
import { EffectRunner, type EffectRunnerOptions } from './runner.ts';
import type { Perform } from './tries.ts';

/** What requests to the world outside of the cluster are made with. */
export interface EffectsOptions {
  /** Set by whoever installs the operator; each `host`, `host:port` or `*.domain`. */
  readonly allowedHosts: AllowedHosts;
  readonly perform: HttpPerformer;
  /** Tries do not end with their time: for whoever looks ahead, and takes no silence for an answer. @default false */
  readonly waitsForever?: boolean;
}

/** Everything of a controller that its effects need. */
export type RunnerOptions = Omit<EffectRunnerOptions, 'perform'> & DryRunOptions & { readonly api: KubeApi };

const noHttp: EffectsOptions = {
  allowedHosts: [],
  // No host is allowed, so nobody asks.
  perform: () => Promise.reject(new Error('There is no HTTP client')),
};

/** Makes what carries out the effects of one kind. */
export const createEffectRunner = (options: RunnerOptions, http: EffectsOptions = noHttp): EffectRunner => {
  const { api } = options;
  const perform: Perform = async (effect, { resource, signal }) =>
    effect.effect === 'http'
      ? performHttp({ api, ...http }, resource.metadata, { effect, signal })
      : performDryRun(options, resource, effect);
  return new EffectRunner({ ...options, perform, waitsForever: http.waitsForever === true });
};
