import { refusedAddress } from '#constructs/canary-rollout/checks/addresses.ts';
import { ConfigurationError } from '#lib/errors.ts';

/**
 * Where metrics of rollouts go that name no server, from `PROMETHEUS_URL`; nowhere unless told.
 *
 * @throws {ConfigurationError} for what is no address
 */
export const prometheusUrlOf = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const url = env['PROMETHEUS_URL'] || undefined;
  const fault = url === undefined ? undefined : refusedAddress(url);
  if (fault === undefined) return url;
  throw new ConfigurationError(`PROMETHEUS_URL is "${url}": ${fault}`);
};
