import { once } from 'node:events';
import { createServer } from 'node:net';

/** An object of an install bundle, as far as the webhook needs it. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}

/** The address at which the webhook is served instead of in a pod. */
interface Detour {
  /** Name and namespace of the operator. */
  readonly operator: string;
  /** Port on this machine. */
  readonly port: number;
}

/**
 * Rewrites an install bundle so that the Service of the webhook points to this machine: the test environment has no pod
 * network. The API server still verifies the certificate by the Service's own name.
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

/** Finds a free port below the ephemeral range, so that no other process is given it before the webhook listens. */
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
