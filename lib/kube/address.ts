import { BlockList, isIP, isIPv6 } from 'node:net';

/** Addresses that a name must not lead to: this machine, and what answers on the link, cloud metadata among it. */
const local = new BlockList();
local.addSubnet('0.0.0.0', 8, 'ipv4');
local.addSubnet('127.0.0.0', 8, 'ipv4');
local.addSubnet('169.254.0.0', 16, 'ipv4');
local.addSubnet('224.0.0.0', 3, 'ipv4');
local.addAddress('::', 'ipv6');
local.addAddress('::1', 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');
local.addSubnet('ff00::', 8, 'ipv6');
// The same IPv4 addresses behind the prefix of NAT64 (RFC 6052).
local.addSubnet('64:ff9b::0.0.0.0', 104, 'ipv6');
local.addSubnet('64:ff9b::127.0.0.0', 104, 'ipv6');
local.addSubnet('64:ff9b::169.254.0.0', 112, 'ipv6');
// Cloud metadata that is not link-local: of AWS and Google over IPv6, of Alibaba, of Azure (its wire server).
local.addAddress('fd00:ec2::254', 'ipv6');
local.addAddress('fd20:ce::254', 'ipv6');
local.addAddress('100.100.100.200', 'ipv4');
local.addAddress('168.63.129.16', 'ipv4');

/** An IPv6 address that stands for an IPv4 one; the list of Node sees through it by itself. */
const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * True for an address that belongs to the machine itself or to its link: loopback, link-local, unspecified, multicast, cloud metadata.
 * Private networks are not among them: services of the cluster live there.
 */
export const isLocalAddress = (address: string): boolean =>
  isIP(address) !== 0 && local.check(address, familyOf(address));
