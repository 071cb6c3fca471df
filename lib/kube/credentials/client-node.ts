import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { asText, isRecord } from '#lib/kube/interface/json.ts';
import type { TlsMaterial } from './authentication.ts';
import type { KubeconfigContext } from './kubeconfig-file.ts';
import type { ResolvedUser, UserResolver } from './kubeconfig-user.ts';

/**
 * Sends plugins the supported version of their response, as kubectl does; client-node does not, and some plugins require it.
 * See https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats
 */
const withExecInfo = (user: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { exec } = user;
  if (!isRecord(exec)) return user;
  const info = { apiVersion: exec['apiVersion'], kind: 'ExecCredential', spec: { interactive: false } };
  const env: unknown[] = Array.isArray(exec['env']) ? exec['env'] : [];
  return {
    ...user,
    exec: { ...exec, env: [...env, { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }] },
  };
};

/**
 * Makes client-node's view of one context. It keeps the response of a credential plugin until that expires; a new view runs the
 * plugin again.
 */
const toKubeConfig = (context: KubeconfigContext): KubeConfig => {
  const { clusterName, cluster, userName, user } = context;
  // client-node refuses plain HTTP unless certificates are not verified either; without TLS there are none to verify.
  const isPlain = asText(cluster['server'])?.startsWith('http:') === true;
  const document = {
    clusters: [{ name: clusterName, cluster: isPlain ? { ...cluster, 'insecure-skip-tls-verify': true } : cluster }],
    users: [{ name: userName, user: withExecInfo(user) }],
    contexts: [{ name: context.name, context: { cluster: clusterName, user: userName } }],
    'current-context': context.name,
  };
  const config = new KubeConfig();
  config.loadFromString(JSON.stringify(document));
  return config;
};

const isPem = (value: unknown): value is string | Buffer => typeof value === 'string' || Buffer.isBuffer(value);

const toTls = (options: RequestOptions): TlsMaterial => {
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return {
    ...(isPem(ca) && { ca }),
    ...(isPem(cert) && { cert }),
    ...(isPem(key) && { key }),
    ...(servername !== undefined && { servername }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
};

const basic = (auth: string): string => `Basic ${Buffer.from(auth).toString('base64')}`;

const resolveUser = async (config: KubeConfig): Promise<ResolvedUser> => {
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const header = isRecord(options.headers) ? asText(options.headers['Authorization']) : undefined;
  return { authorization: header ?? (options.auth ? basic(options.auth) : undefined), tls: toTls(options) };
};

/**
 * Runs a credential plugin or renews an OIDC token with client-node, as the user's entry specifies.
 *
 * Caveats: this module loads client-node, which takes most of a second and tens of megabytes; import it dynamically.
 */
export const pluginUser = (context: KubeconfigContext): UserResolver => {
  let config = toKubeConfig(context);
  return {
    resolve: () => resolveUser(config),
    // client-node keeps a plugin's token until it expires, with no way to drop it, but it keeps it in this object.
    forget: () => {
      config = toKubeConfig(context);
    },
  };
};
