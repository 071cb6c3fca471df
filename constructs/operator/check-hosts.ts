import { hostEntryOf, isHostAllowed } from '#lib/desired/allowed-hosts.ts';
import type { CheckedProps } from './props.ts';

/** Ends a check. @param what - the sentence after the construct's path */
export type Refuse = (what: string) => never;

/** Hosts that effects may ask are hosts, as the process reads them: nothing is installed that it would refuse at its start. */
export const checkHosts = (refuse: Refuse, { effects }: CheckedProps): void => {
  if (effects === undefined) return;
  if (effects.allowedHosts.length === 0)
    refuse('effects.allowedHosts is empty; name at least one host, or leave effects out');
  const bad = effects.allowedHosts.find((host) => hostEntryOf(host) === undefined);
  if (bad !== undefined)
    refuse(`effects.allowedHosts has ${JSON.stringify(bad)}; expected host, host:port or *.domain, without a scheme`);
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** The server that metrics ask is a URL, and may be asked. */
export const checkPrometheus = (refuse: Refuse, { effects }: CheckedProps): void => {
  const { prometheusUrl, allowedHosts = [] } = effects ?? {};
  if (prometheusUrl === undefined) return;
  const url = URL.parse(prometheusUrl);
  if (!url || DEFAULT_PORTS[url.protocol] === undefined || url.username !== '' || url.search !== '')
    refuse(
      `effects.prometheusUrl is ${JSON.stringify(prometheusUrl)}; expected http://host:port without user and query`,
    );
  else if (!isHostAllowed(allowedHosts, url))
    refuse(
      `effects.prometheusUrl is ${JSON.stringify(prometheusUrl)}, which effects.allowedHosts does not allow; add "${url.hostname}:${url.port || DEFAULT_PORTS[url.protocol]}"`,
    );
};
