import { type Environment, portOf } from '../settings.ts';

/** The field manager for the certificate Secret, and for the CA bundles in CustomResourceDefinitions. */
export const FIELD_MANAGER = 'cdk8s-reconcile-conversion';

/** The port and the Service of the webhook, and the source of its certificate. */
export interface ConversionSettings {
  readonly port: number;
  /** The Service of the webhook. If the operator creates its own certificate, the Secret of the certificate has the same name. */
  readonly service: { readonly name: string; readonly namespace: string };
  /**
   * A mounted folder with `tls.crt` and `tls.key`, for example from cert-manager. Undefined if the operator makes its
   * certificate itself.
   */
  readonly certificateDir: string | undefined;
}

/**
 * Reads `CONVERSION_SERVICE`, `CONVERSION_PORT` (9443), `CONVERSION_CERTIFICATE_DIR` and `POD_NAMESPACE`.
 *
 * @param namespace - used if `POD_NAMESPACE` is absent, for example outside of a pod
 * @returns undefined without `CONVERSION_SERVICE`; the operator then serves no webhook
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
