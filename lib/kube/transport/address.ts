import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * IPv4 addresses that are not used if a name resolves to them. They belong to this machine, its link, multicast, reserved ranges,
 * and cloud metadata (Alibaba, Azure's wire server).
 */
const IPV4: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
];

const hexOf = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

const local = new BlockList();
for (const [address, bits] of IPV4) {
  local.addSubnet(address, bits, 'ipv4');
  // The IPv6 notations of these addresses: NAT64 (RFC 6052), IPv4-compatible (RFC 4291), 6to4 (RFC 3056).
  local.addSubnet(`64:ff9b::${address}`, 96 + bits, 'ipv6');
  local.addSubnet(`::${address}`, 96 + bits, 'ipv6');
  local.addSubnet(`2002:${hexOf(address)}::`, 16 + bits, 'ipv6');
}
local.addSubnet('fe80::', 10, 'ipv6');
local.addSubnet('ff00::', 8, 'ipv6');
// The cloud metadata of AWS and Google over IPv6.
local.addAddress('fd00:ec2::254', 'ipv6');
local.addAddress('fd20:ce::254', 'ipv6');

/** The family of an address. Node.js itself handles IPv4-mapped IPv6 addresses (`::ffff:…`). */
const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Whether an address is loopback, link-local, unspecified, multicast, reserved or cloud metadata, also in the IPv6 notations of
 * IPv4 addresses. False for private networks, which contain the services of the cluster.
 */
export const isLocalAddress = (address: string): boolean =>
  isIP(address) !== 0 && local.check(address, familyOf(address));
