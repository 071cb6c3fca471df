import type { CheckedProps } from '#constructs/operator/props.ts';
import { hostEntryOf } from '#lib/desired/hosts/allowed-hosts.ts';
import { allHosts, HOST_LISTS, isMetricHost } from '#lib/desired/hosts/effect-hosts.ts';
import { refusedAddress } from '#lib/desired/hosts/refused-address.ts';
import type { Issue } from '#lib/errors.ts';
import { isDnsSubdomain } from '#lib/kind/dns.ts';

/** A function that adds an issue to the issues of a check. */
export type Refuse = (issue: Issue & Required<Pick<Issue, 'rule' | 'fix'>>) => void;

const remedyFor = (text: string): string | undefined => {
  const entry = hostEntryOf(text);
  if (entry === undefined) return 'expected host, host:port or *.domain, without a scheme';
  const isOwnPod = /(?:^|\.)localhost$/.test(entry.host);
  const fault = isOwnPod ? 'the name is that of the pod itself' : refusedAddress(`https://${entry.host}`);
  return fault && `leave it out: ${fault}`;
};

/**
 * Refuses invalid hosts of effects, names of the pod itself, addresses that the process refuses, and `effects` without a
 * host. The check uses the parser of the process, so the process accepts every host that passes the check.
 */
export const checkHosts = (refuse: Refuse, { effects }: CheckedProps): void => {
  if (effects === undefined) return;
  const rule = 'effect-hosts';
  if (allHosts(effects).length === 0) {
    const message = 'effects names no host';
    const fix = 'name at least one in metricHosts or webhookHosts, or leave effects out';
    refuse({ rule, path: 'effects', message, fix });
  }
  for (const list of HOST_LISTS) {
    const path = `effects.${list}`;
    for (const host of effects[list] ?? []) {
      const fix = remedyFor(host);
      if (fix) refuse({ rule, path, message: `${path} has ${JSON.stringify(host)}`, fix });
    }
  }
};

/** Refuses certificate authorities unless they name either one ConfigMap or one Secret, and a valid key. */
export const checkTrust = (refuse: Refuse, { effects }: CheckedProps): void => {
  const trust = effects?.certificateAuthority;
  if (trust === undefined) return;
  const { configMapName, secretName, key = 'ca.crt' } = trust;
  const names = [configMapName, secretName].filter((name) => name !== undefined);
  const isWhole = names.length === 1 && names.every(isDnsSubdomain) && /^[-._a-zA-Z0-9]{1,253}$/.test(key);
  if (isWhole) return;
  const path = 'effects.certificateAuthority';
  const message = `${path} is ${JSON.stringify(trust)}`;
  const fix = 'expected the name of a ConfigMap or of a Secret, not both, and a key of letters, digits, -, _ and dots';
  refuse({ rule: 'certificate-authority', path, message, fix });
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Refuses a Prometheus URL that is malformed, is not allowed, or is not used by any kind. */
export const checkPrometheus = (refuse: Refuse, { effects, kinds }: CheckedProps): void => {
  const prometheusUrl = effects?.prometheusUrl;
  if (effects === undefined || prometheusUrl === undefined) return;
  const at = { rule: 'prometheus-url', path: 'effects.prometheusUrl' };
  const message = `effects.prometheusUrl is ${JSON.stringify(prometheusUrl)}`;
  const url = URL.parse(prometheusUrl);
  if (!url || DEFAULT_PORTS[url.protocol] === undefined || url.username !== '' || /[?#]/.test(prometheusUrl)) {
    refuse({ ...at, message, fix: 'expected http://host:port without user, query and fragment' });
  } else if (refusedAddress(prometheusUrl) !== undefined) {
    refuse({ ...at, message, fix: `name another server: ${refusedAddress(prometheusUrl)}` });
  } else if (!isMetricHost(effects, url)) {
    const fix = `add "${url.hostname}:${url.port || DEFAULT_PORTS[url.protocol]}"`;
    refuse({ ...at, message: `${message}, which effects.metricHosts does not allow`, fix });
  } else if (!kinds.some(({ operatorSettings }) => operatorSettings?.includes('prometheusUrl'))) {
    const fix =
      "leave it out, or add a kind that asks it: one with operatorSettings: ['prometheusUrl'], such as canaryRollout; those of canaryRolloutWith({ prometheusUrl }) ask that one";
    refuse({ ...at, message: `${message}, which no kind of this operator asks`, fix });
  }
};
