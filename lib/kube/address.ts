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

/** An IPv6 address that stands for an IPv4 one; the list of Node sees through it by itself. */
const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * True for an address that belongs to the machine itself or to its link: loopback, link-local, unspecified, multicast.
 * Private networks are not among them: services of the cluster live there.
 */
export const isLocalAddress = (address: string): boolean =>
  isIP(address) !== 0 && local.check(address, familyOf(address));
