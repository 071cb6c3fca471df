import { isIP } from 'node:net';
import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';

const isPaddedIPv4 = (value: string): boolean =>
  isIP(value.replaceAll(/(?<![\d.])0+(?=\d)|(?<=\.)0+(?=\d)/g, '')) === 4;

const mapped = /^::ffff:(?:\d|[0-9a-f]{1,4}:)/i;

/**
 * Checks that an address is well-formed, and not an IPv4-mapped IPv6 address. Any address in `accepted` is valid.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/validation/ip.go (`parseIP`)
 */
export const checkIp = (path: string, value: string, accepted: readonly string[] = []): FieldErrors => {
  if (accepted.includes(value)) return fine;
  if (isIP(value) !== 0) {
    return mapped.test(value) ? [invalidValue(path, value, 'must not be an IPv4-mapped IPv6 address')] : fine;
  }
  if (isPaddedIPv4(value)) return [invalidValue(path, value, 'must not have leading 0s')];
  return [invalidValue(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
};

/** Whether a text is an IPv6 address. */
export const isIpv6 = (value: string): boolean => isIP(value) === 6;

/**
 * Whether a text is an IP address without a zone. Leading zeros are permitted in IPv4 addresses.
 *
 * @see k8s.io/utils net/parse.go (`ParseIPSloppy`)
 */
export const isSloppyIp = (value: string): boolean =>
  (isIP(value) !== 0 && !value.includes('%')) || isPaddedIPv4(value);
