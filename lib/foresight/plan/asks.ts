import { type AllowedHosts, isHostAllowed } from '#lib/desired/allowed-hosts.ts';
import type { Effect } from '#lib/desired/desired.ts';
import type { OutsideRequest } from '#lib/foresight/cluster/virtual-operator.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';

type HttpEffect = Extract<Effect, { readonly effect: 'http' }>;

/** A path may be a secret wherever an address comes from, so only the origin is told. */
const requestOf = ({ request: { method, url } }: HttpEffect, hosts?: AllowedHosts): OutsideRequest | undefined => {
  if (typeof url !== 'string')
    return hosts?.length === 0 ? undefined : { method, url: `the address in Secret ${url.secretName}` };
  const parsed = URL.parse(url);
  if (parsed === null || (hosts && !isHostAllowed(hosts, parsed))) return undefined;
  return { method, url: parsed.origin };
};

/** What an operator would ask servers outside, once each, in the order in which it comes to it. */
export class Asks {
  readonly #hosts: AllowedHosts | undefined;
  readonly #byEffect = new Map<string, OutsideRequest>();

  /** @param hosts - those that may be asked; others are refused to the function at once. @default all */
  constructor(hosts?: AllowedHosts) {
    this.#hosts = hosts;
  }

  note({ wanted, seen }: Decision): void {
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
