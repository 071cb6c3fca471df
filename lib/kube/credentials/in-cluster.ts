import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import type { Authentication, Credentials, TlsMaterial } from './authentication.ts';
import { openReloadedFile, type ReloadedFile } from './reloaded-file.ts';

/** The locations of the API server of a pod, and of the files of its ServiceAccount. */
export interface InClusterOptions {
  readonly host: string;
  readonly port: string;
  /** The folder with `token`, `ca.crt` and `namespace`. */
  readonly serviceAccountDir: string;
  /**
   * The namespace. This setting has precedence over the file `namespace`, as in client-go's clientcmd/client_config.go.
   *
   * @default the content of the file
   */
  readonly namespace?: string | undefined;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
}

/** The source of the credentials of a pod, see `Credentials.source`. */
export const IN_CLUSTER = 'in-cluster';

/**
 * The age after which the token is read again, as in client-go's transport/token_source.go. Kubelets rotate tokens at 80 % of
 * their life, minutes before they expire.
 */
const TOKEN_MAX_AGE_MS = 60_000;

/** The age after which the CA is read again, as in client-go since 1.36. */
const CA_MAX_AGE_MS = 300_000;

const openMounted = async (path: string, maxAgeMs: number, now: () => number): Promise<ReloadedFile> => {
  try {
    return await openReloadedFile(path, { maxAgeMs, now });
  } catch (error) {
    throw new ConfigurationError(
      `Cannot read in-cluster credentials: ${path} is missing, empty or unreadable, though KUBERNETES_SERVICE_HOST is set; ` +
        'mount a service account token into the pod, or set KUBECONFIG',
      { cause: error },
    );
  }
};

const readNamespace = async (path: string): Promise<string> => {
  try {
    return (await readFile(path, 'utf8')).trim() || 'default';
  } catch {
    return 'default';
  }
};

class InClusterCredentials implements Credentials {
  readonly server: string;
  readonly namespace: string;
  readonly source = IN_CLUSTER;
  readonly #token: ReloadedFile;
  readonly #ca: ReloadedFile;
  #shownToken: string | undefined;
  #authentication: Authentication = { headers: {}, tls: {} };

  constructor(server: string, namespace: string, files: { readonly token: ReloadedFile; readonly ca: ReloadedFile }) {
    this.server = server;
    this.namespace = namespace;
    this.#token = files.token;
    this.#ca = files.ca;
  }

  async authenticate(): Promise<Authentication> {
    const token = await this.#token.current();
    const ca = await this.#ca.current();
    const tls: TlsMaterial = this.#authentication.tls.ca === ca ? this.#authentication.tls : { ca };
    if (token !== this.#shownToken || tls !== this.#authentication.tls) {
      this.#authentication = { headers: { authorization: `Bearer ${token}` }, tls };
      this.#shownToken = token;
    }
    return this.#authentication;
  }

  async renew(): Promise<void> {
    await Promise.all([this.#token.reload(), this.#ca.reload()]);
  }
}

/**
 * Reads the credentials of the pod in which this process runs. The function only reads files, and loads no packages.
 *
 * **Flow**: `authenticate()` reads a token again after one minute, and the CA after 5 minutes; `renew()` reads both.
 *
 * @throws ConfigurationError when the token or the CA cannot be read
 */
export const loadInCluster = async (options: InClusterOptions): Promise<Credentials> => {
  const { host, port, serviceAccountDir, now } = options;
  const token = await openMounted(join(serviceAccountDir, 'token'), TOKEN_MAX_AGE_MS, now);
  const ca = await openMounted(join(serviceAccountDir, 'ca.crt'), CA_MAX_AGE_MS, now);
  const namespace = options.namespace || (await readNamespace(join(serviceAccountDir, 'namespace')));
  return new InClusterCredentials(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`, namespace, { token, ca });
};
