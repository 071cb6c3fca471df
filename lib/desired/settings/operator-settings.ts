import { refusedAddress } from '#lib/desired/hosts/refused-address.ts';
import { ConfigurationError } from '#lib/errors.ts';

/** Settings of the operator for all resources of a kind. */
export interface OperatorSettings {
  /** The Prometheus-compatible server for metric queries of resources that name no server (`PROMETHEUS_URL`). @default none */
  readonly prometheusUrl?: string | undefined;
}

/** The settings of an operator that sets none of them. */
export const noSettings: OperatorSettings = Object.freeze({});

/**
 * The problem of a URL; undefined if there is none. The type is checked, too, because a JavaScript program can pass any value.
 */
const faultOf = (url: unknown): string | undefined => {
  if (typeof url !== 'string') return 'it is no text';
  return /[?#]/.test(url) ? 'it must not hold ? or #' : refusedAddress(url);
};

/**
 * Reads the settings that kinds can declare.
 *
 * @param env - the environment variables; an empty value counts as absent
 * @param options - the options of the program, which take precedence over the variables
 * @throws {ConfigurationError} for a value that is not text, contains `?` or `#`, or is an address that {@link refusedAddress}
 *   refuses
 */
export const operatorSettingsOf = (
  env: Readonly<Record<string, string | undefined>>,
  options: OperatorSettings = {},
): OperatorSettings => {
  const isSaid = options.prometheusUrl !== undefined;
  const prometheusUrl = options.prometheusUrl ?? (env['PROMETHEUS_URL'] || undefined);
  if (prometheusUrl === undefined) return noSettings;
  const fault = faultOf(prometheusUrl);
  if (fault === undefined) return Object.freeze({ prometheusUrl });
  // The message must not show a password in the URL.
  const shown = typeof prometheusUrl === 'string' ? prometheusUrl.replace(/\/\/[^/@]*@/, '//…@') : prometheusUrl;
  const name = isSaid ? 'effects.prometheusUrl' : 'PROMETHEUS_URL';
  throw new ConfigurationError(
    `${name} is ${JSON.stringify(shown)}: ${fault}; set it to an address such as http://prometheus.monitoring.svc:9090`,
  );
};
