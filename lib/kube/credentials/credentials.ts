import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import type { Credentials } from './authentication.ts';
import { loadInCluster } from './in-cluster.ts';

/** The places where credentials are searched for. */
export interface CredentialsOptions {
  /** The environment variables. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The context of the kubeconfig; a pod has no contexts. @default the current context */
  readonly context?: string | undefined;
  /** The folder with the `.kube/config` that is used if nothing else is found. @default the home folder of the user */
  readonly homeDir?: string;
  /** The folder with a pod's `token`, `ca.crt` and `namespace`. @default /var/run/secrets/kubernetes.io/serviceaccount */
  readonly serviceAccountDir?: string;
  /** Epoch milliseconds, for the age of file contents. @default the system's clock */
  readonly now?: () => number;
}

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

const exists = async (path: string): Promise<boolean> => {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
};

/** Reads a kubeconfig. The import is dynamic, because a pod does not need the YAML parser. */
const fromKubeconfig = async (
  paths: readonly string[],
  options: { readonly now: () => number; readonly context?: string | undefined },
): Promise<Credentials> => {
  const { loadKubeconfig } = await import('./kubeconfig.ts');
  return loadKubeconfig(paths, options);
};

/**
 * Finds the API server and the credentials for it.
 *
 * **Flow**: `KUBECONFIG`, else the service account of the pod, unless `context` is set, else `~/.kube/config`. `KUBECONFIG` has
 * one path, or several that are joined by `:` (`;` on Windows) and merged as kubectl merges them. A pod is recognized by
 * `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`.
 *
 * **Guarantees**: files with tokens, certificates and authorities are read again while the process runs, so that a rotation
 * takes effect. `@kubernetes/client-node` is loaded only for users with `exec` or `auth-provider`.
 *
 * **Caveats**: proxies are not supported, neither `proxy-url` (refused) nor `HTTPS_PROXY` (ignored).
 *
 * @throws ConfigurationError when no credentials are found, or when they cannot be used
 * @example
 * const client = createKubeClient(await loadCredentials());
 */
export const loadCredentials = async (options: CredentialsOptions = {}): Promise<Credentials> => {
  const {
    env = process.env,
    serviceAccountDir = SERVICE_ACCOUNT_DIR,
    now = () => systemTimers.now(),
    context,
  } = options;
  if (env['KUBECONFIG']) return fromKubeconfig(env['KUBECONFIG'].split(delimiter).filter(Boolean), { now, context });
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, POD_NAMESPACE: namespace } = env;
  if (host && port && context === undefined) return loadInCluster({ host, port, namespace, serviceAccountDir, now });
  const path = join(options.homeDir ?? env['HOME'] ?? homedir(), '.kube', 'config');
  if (await exists(path)) return fromKubeconfig([path], { now, context });
  throw new ConfigurationError(
    `Cannot find a cluster: KUBECONFIG is not set, this is not a pod (KUBERNETES_SERVICE_HOST is not set), and ${path} ` +
      'does not exist; set KUBECONFIG to the path of a kubeconfig',
  );
};
