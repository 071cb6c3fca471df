import { type AllowedHosts, isHostAllowed } from '#lib/desired/hosts/allowed-hosts.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import type { OutsideRequest } from '#lib/foresight/cluster/virtual-operator.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';

type HttpEffect = Extract<Effect, { readonly effect: 'http' }>;

/**
 * The request with only the origin of its URL, because a path may be secret; `undefined` if the URL is invalid or its host is
 * not allowed. If a Secret has the URL, the result names the Secret.
 */
const requestOf = ({ request: { method, url } }: HttpEffect, hosts?: AllowedHosts): OutsideRequest | undefined => {
  if (typeof url !== 'string')
    return hosts?.length === 0 ? undefined : { method, url: `the address in Secret ${url.secretName}` };
  const parsed = URL.parse(url);
  if (parsed === null || (hosts && !isHostAllowed(hosts, parsed))) return undefined;
  return { method, url: parsed.origin };
};

/** Collects the HTTP requests that an operator would send, in order; one for each resource and key of an effect. */
export class Asks {
  readonly #hosts: AllowedHosts | undefined;
  readonly #byEffect = new Map<string, OutsideRequest>();

  /** @param hosts - allowed hosts; requests to other hosts fail at once. @default all */
  constructor(hosts?: AllowedHosts) {
    this.#hosts = hosts;
  }

  note({ wanted, seen }: DecidedPass): void {
    for (const effect of wanted.desired.effects ?? []) {
      const request = effect.effect === 'http' ? requestOf(effect, this.#hosts) : undefined;
      const id = `${seen.resource.metadata.uid} ${effect.key}`;
      if (request && !this.#byEffect.has(id)) this.#byEffect.set(id, request);
    }
  }

  get all(): readonly OutsideRequest[] {
    return [...this.#byEffect.values()];
  }
}
