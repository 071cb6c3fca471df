import { mkdtemp } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { EmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
import type { EmbeddedClusterOptions } from '#lib/embedded/options.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { Endings } from '#lib/process/endings.ts';
import { privateFolder } from '#lib/process/private-folder.ts';
import { clusterOver, contextOf, credentialsOf } from '../../../shell/cluster.ts';
import type { CliContext, Cluster } from '../../../shell/context.ts';
import { reportError, UsageError } from '../../../shell/report.ts';
import type { DevClusterOptions } from '../options.ts';
import { operatorFiles } from './operator-files.ts';
import { DEV } from './rights.ts';

/** The cluster on which the operator is developed. */
export interface DevCluster extends AsyncDisposable {
  /** The connection, with the credentials of the administrator of the embedded cluster, or of the user's kubeconfig. */
  readonly cluster: Cluster;
  /** Kubeconfig of the embedded cluster; undefined for the current cluster. */
  readonly kubeconfig: string | undefined;
  /** Whether the cluster is embedded and ends with the command. */
  readonly isOurs: boolean;
  /** Returns the last requests to the embedded cluster; absent for the current cluster. */
  readonly requests?: EmbeddedCluster['requests'];
  /** Writes the credentials of the operator's service account, and renews them regularly. @returns the path of a kubeconfig */
  operatorKubeconfig(): Promise<string>;
}

/** A signal that never aborts, because the removal of objects after Ctrl-C needs the connection. */
const untouched = new AbortController().signal;

/** The parts of an embedded cluster that `dev` uses. */
export type StartedCluster = Pick<EmbeddedCluster, 'url' | 'ca' | 'adminToken' | 'kubeconfig' | 'requests' | 'close'>;

interface StartOptions {
  /** Starts an embedded cluster. @default in this process */
  readonly start?: (options: EmbeddedClusterOptions) => Promise<StartedCluster>;
}

/** Loads the code of the embedded cluster on demand, because loading takes long. */
const startEmbedded = async (options: EmbeddedClusterOptions): Promise<StartedCluster> => {
  const { startEmbeddedCluster } = await import('#lib/embedded/embedded-cluster.ts');
  return startEmbeddedCluster(options);
};

const embedded = async (
  context: CliContext,
  { port, dataFile, namespace, start = startEmbedded }: DevClusterOptions & StartOptions,
): Promise<DevCluster> => {
  const options = {
    ...(port !== undefined && { port }),
    ...(dataFile !== undefined && { dataFile: resolve(context.cwd, dataFile) }),
  };
  await using endings = new Endings();
  const running = endings.adopt(await start(options), (started) => started.close());
  const authentication = { headers: { authorization: `Bearer ${running.adminToken}` }, tls: { ca: running.ca } };
  const credentials: Credentials = {
    server: running.url,
    namespace: 'default',
    source: running.kubeconfig,
    authenticate: async () => authentication,
    renew: async () => undefined,
  };
  const cluster = endings.adopt(clusterOver(credentials, { namespace, signal: untouched }), (open) => open.close());
  // The credentials are in the folder of the cluster, and are removed with this folder.
  const onFailure = (error: unknown): void => reportError(context, error);
  const folder = await mkdtemp(join(dirname(running.kubeconfig), `${DEV}-`));
  const files = endings.use(operatorFiles(folder, { cluster, credentials, onFailure }));
  const whole = endings.move();
  return {
    cluster,
    kubeconfig: running.kubeconfig,
    isOurs: true,
    requests: running.requests,
    operatorKubeconfig: files.write,
    [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
  };
};

/** The chosen context. If the user has consented to a context by name, the chosen context must have this name. */
const agreedContext = async ({ env }: CliContext, options: DevClusterOptions): Promise<string | undefined> => {
  if (typeof options.yes !== 'string') return options.context;
  const name = await contextOf(options, env);
  if (name === options.yes) return name;
  throw new ConfigurationError(
    `Cannot use your cluster: the current context is "${name}", and --yes agrees to "${options.yes}"; choose it: kubectl config use-context ${options.yes}`,
  );
};

const current = async (context: CliContext, options: DevClusterOptions): Promise<DevCluster> => {
  if (options.port !== undefined || options.dataFile !== undefined)
    throw new UsageError(
      '--port and --data-file work only with the embedded cluster: remove them, or remove --cluster current',
    );
  const chosen = await agreedContext(context, options);
  const credentials = await credentialsOf({ ...options, context: chosen }, context.env);
  if (options.yes === undefined)
    throw new ConfigurationError(
      `Cannot use ${credentials.server} (${credentials.source}) without --yes: definitions of your kinds will be created and changed in it, manifests of -f applied, a namespace and rights created; in the end namespace and rights are removed`,
    );
  await using endings = new Endings();
  const open = clusterOver(credentials, { namespace: options.namespace, signal: untouched });
  const cluster = endings.adopt(open, () => open.close());
  const onFailure = (error: unknown): void => reportError(context, error);
  const folder = endings.adopt(await privateFolder('dev'), ({ remove }) => remove());
  const files = endings.use(operatorFiles(folder.path, { cluster, credentials, onFailure }));
  const whole = endings.move();
  return {
    cluster,
    kubeconfig: undefined,
    isOurs: false,
    operatorKubeconfig: files.write,
    [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
  };
};

/**
 * Starts the embedded cluster, or connects to the current cluster.
 *
 * @throws {ConfigurationError} when the cluster, its port or its data file cannot be used, or the user has not consented
 */
export const openDevCluster = (context: CliContext, options: DevClusterOptions & StartOptions): Promise<DevCluster> =>
  options.cluster === 'embedded' ? embedded(context, options) : current(context, options);
