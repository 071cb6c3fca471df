import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { readKubeconfig } from '#lib/kube/credentials/kubeconfig-file.ts';
import type { DemoCluster } from './cluster.ts';

/**
 * The current cluster of kubectl. Starts nothing; its requests are not recorded.
 *
 * @param agreed - the only context that may be used
 * @throws {ConfigurationError} when the current context is another one
 */
export const useCurrentCluster = async (agreed?: string): Promise<DemoCluster> => {
  const kubeconfig = process.env['KUBECONFIG'] || join(homedir(), '.kube', 'config');
  if (agreed !== undefined) {
    const { name } = await readKubeconfig(kubeconfig.split(delimiter));
    if (name !== agreed) {
      throw new ConfigurationError(
        `Cannot use your cluster: the current context is "${name}", and --yes agrees to "${agreed}"; ` +
          `choose it with \`kubectl config use-context ${agreed}\``,
      );
    }
  }
  return {
    kubeconfig,
    hasKubelets: true,
    isOurs: false,
    requestsOf: async () => undefined,
    [Symbol.asyncDispose]: async () => {},
  };
};
