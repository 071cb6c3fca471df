import { ConfigurationError } from '#lib/errors.ts';
import type { Environment } from '../settings.ts';

/** Where the webhook is served, and where its certificate comes from. */
export interface ConversionSettings {
  readonly port: number;
  /** The Service by which the API server finds it; the Secret with a certificate of our own has the same name. */
  readonly service: { readonly name: string; readonly namespace: string };
  /** A mounted folder with `tls.crt` and `tls.key` of somebody else, such as cert-manager; without it we make our own. */
  readonly certificateDir: string | undefined;
}

const DEFAULT_PORT = 9443;

const portOf = (text: string | undefined): number => {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ConfigurationError(`CONVERSION_PORT is "${text}": set it to a TCP port from 0 to 65535`);
};

/**
 * Reads `CONVERSION_SERVICE`, `CONVERSION_PORT` (9443), `CONVERSION_CERTIFICATE_DIR` and `POD_NAMESPACE`.
 *
 * @param namespace - of the credentials, for a process outside of a pod
 * @returns undefined when nobody said by which Service we are found: then we serve no webhook
 * @throws {ConfigurationError} for a port that cannot be
 */
export const conversionSettingsOf = (env: Environment, namespace: string): ConversionSettings | undefined => {
  const name = env['CONVERSION_SERVICE'];
  if (!name) return undefined;
  return {
    port: portOf(env['CONVERSION_PORT']),
    service: { name, namespace: env['POD_NAMESPACE'] || namespace },
    certificateDir: env['CONVERSION_CERTIFICATE_DIR'] || undefined,
  };
};
