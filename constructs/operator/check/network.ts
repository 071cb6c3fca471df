import { badLabel } from '#constructs/operator/monitoring/check.ts';
import { addressBits } from '#constructs/operator/network/ip-version.ts';
import type { NetworkProps } from '#constructs/operator/network/network-policy.ts';
import type { CheckedProps } from '#constructs/operator/props.ts';
import { isDns1123Label } from '#lib/kind/dns.ts';
import type { Refuse } from './hosts.ts';

const isCidr = (text: string): boolean => {
  const { address = '', prefix = '' } = /^(?<address>[^/]+)\/(?<prefix>\d{1,3})$/.exec(text)?.groups ?? {};
  const bits = addressBits(address);
  return bits !== '' && Number(prefix) <= bits.length && !bits.slice(Number(prefix)).includes('1');
};

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

interface ListRule {
  readonly isEntry: (entry: never) => boolean;
  readonly expected: string;
  readonly without: string;
}

const CIDR = { isEntry: isCidr, expected: 'the first address of a block and a prefix, such as 10.0.0.1/32' };

const LISTS: Readonly<Record<Exclude<keyof NetworkProps, 'dns'>, ListRule>> = {
  apiServer: { ...CIDR, without: 'any address' },
  webhookFrom: { ...CIDR, without: 'those of network.apiServer' },
  apiServerPorts: { isEntry: isPort, expected: 'a port from 1 to 65535', without: '443 and 6443' },
  metricsFrom: { isEntry: isDns1123Label, expected: 'the name of a namespace', without: 'any address' },
};

const checkDns = (refuse: Refuse, { dns }: NetworkProps): void => {
  if (dns === undefined) return;
  const { namespace, labels, ports = [53] } = dns;
  const issue = (fix: string): void =>
    refuse({ rule: 'network', path: 'network.dns', message: `network.dns is ${JSON.stringify(dns)}`, fix });
  if (!isDns1123Label(namespace)) issue('expected the name of a namespace as namespace');
  if (Object.keys(labels).length === 0 || badLabel(labels))
    issue('name at least one label of the pods that answer DNS, with a valid name and value');
  if (ports.length === 0 || !ports.every(isPort)) issue('expected ports from 1 to 65535');
};

/** Refuses empty lists and invalid entries in `network`. */
export const checkNetwork = (refuse: Refuse, { network = {} }: CheckedProps): void => {
  for (const [name, { isEntry, expected, without }] of Object.entries(LISTS)) {
    const path = `network.${name}`;
    const entries = network[name as keyof typeof LISTS];
    if (entries?.length === 0)
      refuse({ rule: 'network', path, message: `${path} is empty`, fix: `leave it out for ${without}, or name one` });
    for (const entry of entries ?? []) {
      if (isEntry(entry as never)) continue;
      refuse({ rule: 'network', path, message: `${path} has ${JSON.stringify(entry)}`, fix: `expected ${expected}` });
    }
  }
  checkDns(refuse, network);
};
