import { refusedAddress } from '#lib/desired/hosts/refused-address.ts';
import { ConfigurationError } from '#lib/errors.ts';

/** Settings of the operator for all resources of a kind. */
export interface OperatorSettings {
  /** The Prometheus-compatible server for metrics that name none (`PROMETHEUS_URL`). @default none */
  readonly prometheusUrl?: string | undefined;
}

/** No settings. */
export const noSettings: OperatorSettings = Object.freeze({});

/** Programs without types may name anything. */
const faultOf = (url: unknown): string | undefined => {
  if (typeof url !== 'string') return 'it is no text';
  return /[?#]/.test(url) ? 'it must not hold ? or #' : refusedAddress(url);
};

/**
 * Reads the settings that kinds can declare.
 *
 * @param env - variables; an empty one counts as not set
 * @param options - the options of the program, which take precedence over the variables
 * @throws {ConfigurationError} for an address that is always refused
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
  // The URL in the message shows no password.
  const shown = typeof prometheusUrl === 'string' ? prometheusUrl.replace(/\/\/[^/@]*@/, '//…@') : prometheusUrl;
  const name = isSaid ? 'effects.prometheusUrl' : 'PROMETHEUS_URL';
  throw new ConfigurationError(
    `${name} is ${JSON.stringify(shown)}: ${fault}; set it to an address such as http://prometheus.monitoring.svc:9090`,
  );
};
