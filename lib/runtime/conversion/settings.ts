import { type Environment, portOf } from '../settings.ts';

/** Field manager of the Secret and of the CA bundles in definitions. */
export const FIELD_MANAGER = 'cdk8s-reconcile-conversion';

/** Where the webhook is served, and where its certificate comes from. */
export interface ConversionSettings {
  readonly port: number;
  /** The Service by which the API server finds it; the Secret with a certificate of our own has the same name. */
  readonly service: { readonly name: string; readonly namespace: string };
  /** A mounted folder with `tls.crt` and `tls.key`, such as from cert-manager; without it the operator creates its own certificate. */
  readonly certificateDir: string | undefined;
}

/**
 * Reads `CONVERSION_SERVICE`, `CONVERSION_PORT` (9443), `CONVERSION_CERTIFICATE_DIR` and `POD_NAMESPACE`.
 *
 * @param namespace - of the credentials, for a process outside of a pod
 * @returns undefined without a Service name; no webhook is served then
 * @throws {ConfigurationError} for an invalid port
 */
export const conversionSettingsOf = (env: Environment, namespace: string): ConversionSettings | undefined => {
  const name = env['CONVERSION_SERVICE'];
  if (!name) return undefined;
  return {
    port: portOf(env, 'CONVERSION_PORT'),
    service: { name, namespace: env['POD_NAMESPACE'] || namespace },
    certificateDir: env['CONVERSION_CERTIFICATE_DIR'] || undefined,
  };
};
