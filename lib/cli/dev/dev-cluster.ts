import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { forgetLeftover, noteLeftover } from '#lib/embedded/leftovers.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { Credentials } from '#lib/kube/authentication.ts';
import { clusterOver, credentialsOf } from '../cluster.ts';
import type { CliContext, Cluster } from '../context.ts';
import { textAt } from '../objects/json.ts';
import type { DevClusterOptions } from './dev-options.ts';
import { DEV } from './rights.ts';

/** What the operator is developed on. */
export interface DevCluster extends AsyncDisposable {
  /** As its administrator reaches it. */
  readonly cluster: Cluster;
  /** What `KUBECONFIG` is for others; undefined where they have one already. */
  readonly kubeconfig: string | undefined;
  /** Whether it goes away in the end. */
  readonly isOurs: boolean;
  /** Writes the credentials of the operator's service account, and goes on renewing them. @returns the path of a kubeconfig */
  operatorKubeconfig(): Promise<string>;
}

/** A day; API servers may give less. */
const TOKEN_SECONDS = 86_400;

/** Tokens last for ten minutes at least; they are renewed so often, in milliseconds. */
const RENEWAL_MS = 4 * 60_000;

const TOKEN_PATH = `/api/v1/namespaces/${DEV}/serviceaccounts/${DEV}/token`;

const tokenFrom = async (cluster: Cluster): Promise<string> => {
  const spec = { expirationSeconds: TOKEN_SECONDS };
  const { code, body } = await cluster.ask(TOKEN_PATH, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec,
  });
  const token = textAt(body, 'status', 'token');
  if (token !== undefined) return token;
  throw new ConfigurationError(
    `Cannot get a token of the service account ${DEV}/${DEV}: ${cluster.server} answers ${code} ${textAt(body, 'message') ?? ''}`,
  );
};

/** In JSON, which every YAML parser reads. */
const kubeconfigText = async (credentials: Credentials, tokenFile: string): Promise<string> => {
  const { ca, servername, rejectUnauthorized } = (await credentials.authenticate()).tls;
  const cluster = {
    server: credentials.server,
    ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(servername !== undefined && { 'tls-server-name': servername }),
    ...(rejectUnauthorized === false && { 'insecure-skip-tls-verify': true }),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: DEV, cluster }],
    users: [{ name: DEV, user: { tokenFile } }],
    contexts: [{ name: DEV, context: { cluster: DEV, user: DEV, namespace: DEV } }],
    'current-context': DEV,
  });
};

/** Files with the credentials of the operator, which only this user can read. @param parent - the folder that theirs is made in */
const operatorFiles = async (cluster: Cluster, credentials: Credentials, parent = tmpdir()) => {
  const folder = await mkdtemp(join(parent, `${DEV}-`));
  const [kubeconfig, tokenFile] = [join(folder, 'kubeconfig'), join(folder, 'token')];
  const renew = async (): Promise<void> => {
    await writeFile(`${tokenFile}.new`, await tokenFrom(cluster), { mode: 0o600 });
    await rename(`${tokenFile}.new`, tokenFile);
  };
  noteLeftover(folder);
  // A failure is made good by the next one.
  const timer = setInterval(() => void renew().catch(() => undefined), RENEWAL_MS).unref();
  return {
    write: async (): Promise<string> => {
      await renew();
      await writeFile(kubeconfig, await kubeconfigText(credentials, tokenFile), { mode: 0o600 });
      return kubeconfig;
    },
    remove: async (): Promise<void> => {
      clearInterval(timer);
      await rm(folder, { recursive: true, force: true });
      forgetLeftover(folder);
    },
  };
};

/** Nothing is broken off by Ctrl-C: what was made is removed after it. */
const untouched = new AbortController().signal;

const embedded = async (context: CliContext, { port, dataFile, namespace }: DevClusterOptions): Promise<DevCluster> => {
  const options = {
    ...(port !== undefined && { port }),
    ...(dataFile !== undefined && { dataFile: resolve(context.cwd, dataFile) }),
  };
  const { startEmbeddedCluster } = await import('#lib/embedded/embedded-cluster.ts');
  const running = await startEmbeddedCluster(options);
  const authentication = { headers: { authorization: `Bearer ${running.adminToken}` }, tls: { ca: running.ca } };
  const credentials: Credentials = {
    server: running.url,
    namespace: 'default',
    source: running.kubeconfig,
    authenticate: async () => authentication,
    renew: async () => undefined,
  };
  const cluster = clusterOver(credentials, { namespace, signal: untouched });
  // What a cluster leaves that is killed is removed by the next one.
  const files = await operatorFiles(cluster, credentials, dirname(running.kubeconfig));
  return {
    cluster,
    kubeconfig: running.kubeconfig,
    isOurs: true,
    operatorKubeconfig: files.write,
    [Symbol.asyncDispose]: async () => {
      await files.remove();
      await cluster.close();
      await running.close();
    },
  };
};

const current = async (context: CliContext, options: DevClusterOptions): Promise<DevCluster> => {
  if (options.port !== undefined || options.dataFile !== undefined)
    throw new ConfigurationError(
      '--port and --data-file are of the embedded cluster; leave them, or --cluster current, away',
    );
  const credentials = await credentialsOf(options, context.env);
  if (options.yes !== true)
    throw new ConfigurationError(
      `Cannot use ${credentials.server} (${credentials.source}) without --yes: definitions of your kinds will be created and changed in it, manifests of -f applied, a namespace and rights created; in the end namespace and rights are removed`,
    );
  const cluster = clusterOver(credentials, { namespace: options.namespace, signal: untouched });
  const files = await operatorFiles(cluster, credentials);
  return {
    cluster,
    kubeconfig: undefined,
    isOurs: false,
    operatorKubeconfig: files.write,
    [Symbol.asyncDispose]: async () => {
      await files.remove();
      await cluster.close();
    },
  };
};

/**
 * Opens the cluster that was chosen; the embedded one is started.
 *
 * @throws {ConfigurationError} when there is none, when its port or data file cannot be used, and without consent
 */
export const openDevCluster = (context: CliContext, options: DevClusterOptions): Promise<DevCluster> =>
  options.cluster === 'embedded' ? embedded(context, options) : current(context, options);
