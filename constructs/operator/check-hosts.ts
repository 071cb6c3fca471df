import { hostEntryOf, isHostAllowed } from '#lib/desired/allowed-hosts.ts';
import { refusedAddress } from '#lib/desired/refused-address.ts';
import type { Issue } from '#lib/errors.ts';
import type { CheckedProps } from './props.ts';

/** Takes what a check found. */
export type Refuse = (issue: Issue & Required<Pick<Issue, 'rule' | 'fix'>>) => void;

/** Hosts that effects may ask are hosts, as the process reads them: nothing is installed that it would refuse at its start. */
export const checkHosts = (refuse: Refuse, { effects }: CheckedProps): void => {
  if (effects === undefined) return;
  const at = { rule: 'effect-hosts', path: 'effects.allowedHosts' };
  if (effects.allowedHosts.length === 0)
    refuse({ ...at, message: 'effects.allowedHosts is empty', fix: 'name at least one host, or leave effects out' });
  for (const bad of effects.allowedHosts.filter((host) => hostEntryOf(host) === undefined)) {
    const message = `effects.allowedHosts has ${JSON.stringify(bad)}`;
    refuse({ ...at, message, fix: 'expected host, host:port or *.domain, without a scheme' });
  }
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** The server that metrics ask is a URL, may be asked, and is asked by somebody. */
export const checkPrometheus = (refuse: Refuse, { effects, kinds }: CheckedProps): void => {
  const { prometheusUrl, allowedHosts = [] } = effects ?? {};
  if (prometheusUrl === undefined) return;
  const at = { rule: 'prometheus-url', path: 'effects.prometheusUrl' };
  const message = `effects.prometheusUrl is ${JSON.stringify(prometheusUrl)}`;
  const url = URL.parse(prometheusUrl);
  if (!url || DEFAULT_PORTS[url.protocol] === undefined || url.username !== '' || url.search !== '') {
    refuse({ ...at, message, fix: 'expected http://host:port without user and query' });
  } else if (refusedAddress(prometheusUrl) !== undefined) {
    refuse({ ...at, message, fix: `name another server: ${refusedAddress(prometheusUrl)}` });
  } else if (!isHostAllowed(allowedHosts, url)) {
    const fix = `add "${url.hostname}:${url.port || DEFAULT_PORTS[url.protocol]}"`;
    refuse({ ...at, message: `${message}, which effects.allowedHosts does not allow`, fix });
  } else if (!kinds.some(({ operatorSettings }) => operatorSettings?.includes('prometheusUrl'))) {
    const fix =
      "leave it out, or add a kind that asks it: one with operatorSettings: ['prometheusUrl'], such as canaryRollout; those of canaryRolloutWith({ prometheusUrl }) ask that one";
    refuse({ ...at, message: `${message}, which no kind of this operator asks`, fix });
  }
};
