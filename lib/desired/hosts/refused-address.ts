/** Host names of cloud metadata services: AWS, Google Cloud and OpenStack. */
const METADATA_NAMES = new Set(['metadata', 'metadata.google.internal', 'instance-data', 'instance-data.ec2.internal']);

/** Addresses of cloud metadata services outside the link-local range: Alibaba Cloud, Azure, Oracle Cloud, and AWS with IPv6. */
const METADATA_ADDRESSES = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192', '[fd00:ec2::254]']);

/**
 * The IPv4 address in an IPv4-mapped or IPv4-compatible IPv6 address, such as 169.254.169.254 for `[::ffff:a9fe:a9fe]`; undefined
 * for other hosts.
 */
const mappedAddress = (hostname: string): string | undefined => {
  const [, high = '', low = ''] = /^\[::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === '') return undefined;
  const [left, right] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [left >> 8, left & 255, right >> 8, right & 255].join('.');
};

const isRefusedHost = (hostname: string): boolean =>
  METADATA_NAMES.has(hostname) ||
  METADATA_ADDRESSES.has(hostname) ||
  /^169\.254\.\d+\.\d+$/.test(hostname) ||
  /^\[fe[89ab][0-9a-f]:/.test(hostname);

/**
 * Returns the reason to refuse an address even if its host is allowed; otherwise `undefined`. The function refuses URLs that are
 * not http(s) or contain a user. It also refuses link-local addresses and cloud metadata services. A metadata service can return
 * the credentials of the node.
 *
 * Caveats: the function checks the spelling of a name, and does not resolve the name. The list of allowed hosts and network
 * policies must exclude names that resolve to such an address.
 *
 * @see https://owasp.org/www-community/attacks/Server_Side_Request_Forgery
 */
export const refusedAddress = (address: string): string | undefined => {
  // The URL parser turns 0xa9fe.1 and 2852039166 into dotted numbers, and shortens IPv6 addresses.
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'it must be an http:// or https:// URL';
  if (url.username !== '' || url.password !== '') return 'it must not hold a user; use a Secret for credentials';
  const hostname = url.hostname.replace(/\.$/, '');
  return isRefusedHost(mappedAddress(hostname) ?? hostname)
    ? 'requests to link-local addresses and metadata services are refused'
    : undefined;
};
