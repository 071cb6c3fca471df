import { once } from 'node:events';
import { createServer } from 'node:net';

/** An object of an install bundle, as far as the way to the webhook is concerned. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}

/** Where the webhook is served instead of in a pod. */
interface Detour {
  /** Name and namespace of the operator. */
  readonly operator: string;
  /** Of this machine. */
  readonly port: number;
}

/**
 * A bundle as it is installed, but for the way to the webhook: there is no network of pods here, so the Service is another name
 * for this machine. The API server still verifies the certificate by the Service's own name.
 */
export const withoutPodNetwork = (manifests: readonly Manifest[], { operator, port }: Detour): Manifest[] => {
  const name = `${operator}-conversion`;
  return manifests.map((manifest) => {
    if (manifest.kind === 'Service' && manifest.metadata.name === name)
      return { ...manifest, spec: { type: 'ExternalName', externalName: 'localhost' } };
    if (manifest.kind !== 'CustomResourceDefinition') return manifest;
    const clientConfig = { service: { name, namespace: operator, path: '/convert', port } };
    const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
    return { ...manifest, spec: { ...manifest.spec, conversion: { strategy: 'Webhook', webhook } } };
  });
};

/** A free port below those that the system hands out to others, who could take it before the webhook does. */
export const quietPort = async (first = 20_000 + (process.pid % 10_000)): Promise<number> => {
  const server = createServer().listen(first);
  try {
    await once(server, 'listening');
  } catch {
    return quietPort(first + 1);
  }
  server.close();
  await once(server, 'close');
  return first;
};
