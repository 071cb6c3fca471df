import type { CheckedProps } from './props.ts';

/** Ends a check. @param what - the sentence after the construct's path */
export type Refuse = (what: string) => never;

/** A host, or all below a domain, and perhaps a port; IPv6 addresses in brackets. */
const hostPattern = /^(?<wildcard>\*\.)?(?<host>[a-z0-9]([-a-z0-9.]*[a-z0-9])?|\[[0-9a-f:.]+\])(?<port>:\d{1,5})?$/i;

/** What the process would refuse at its start, so that nothing is installed that cannot run. */
const isHost = (text: string): boolean => {
  const { wildcard, host, port = '' } = hostPattern.exec(text)?.groups ?? {};
  const url = host === undefined ? null : URL.parse(`https://${host}${port}/`);
  if (!url || url.port === '0') return false;
  return wildcard === undefined || /^(?!\[)(?=.*\.).*[^\d.]/.test(url.hostname);
};

/** Hosts that effects may ask are hosts. */
export const checkHosts = (refuse: Refuse, { effects }: CheckedProps): void => {
  if (effects === undefined) return;
  if (effects.allowedHosts.length === 0)
    refuse('effects.allowedHosts is empty; name at least one host, or leave effects out');
  const bad = effects.allowedHosts.find((host) => !isHost(host));
  if (bad !== undefined)
    refuse(`effects.allowedHosts has ${JSON.stringify(bad)}; expected host, host:port or *.domain, without a scheme`);
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Whether an entry lets requests to a URL pass; without a port https on its own is meant. */
const allows = (entry: string, { protocol, hostname, port }: URL): boolean => {
  const at = port === '' ? DEFAULT_PORTS[protocol] : port;
  const [, name = '', entryPort = ''] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const isPort = entryPort === '' ? protocol === 'https:' && at === '443' : entryPort === at;
  return isPort && (name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : name === hostname);
};

/** The server that metrics ask is a URL, and may be asked. */
export const checkPrometheus = (refuse: Refuse, { effects }: CheckedProps): void => {
  const { prometheusUrl, allowedHosts = [] } = effects ?? {};
  if (prometheusUrl === undefined) return;
  const url = URL.parse(prometheusUrl);
  if (!url || DEFAULT_PORTS[url.protocol] === undefined || url.username !== '' || url.search !== '')
    refuse(
      `effects.prometheusUrl is ${JSON.stringify(prometheusUrl)}; expected http://host:port without user and query`,
    );
  else if (!allowedHosts.some((entry) => allows(entry, url)))
    refuse(
      `effects.prometheusUrl is ${JSON.stringify(prometheusUrl)}, which effects.allowedHosts does not allow; add "${url.hostname}:${url.port || DEFAULT_PORTS[url.protocol]}"`,
    );
};
