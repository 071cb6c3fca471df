import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { asText, isRecord } from '#lib/kube/interface/json.ts';
import type { TlsMaterial } from './authentication.ts';
import type { KubeconfigContext } from './kubeconfig-file.ts';
import type { ResolvedUser, UserResolver } from './kubeconfig-user.ts';

/**
 * Adds the supported version of the response to the input of credential plugins, as kubectl does. client-node does not add this
 * version, but some plugins require it. See
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats
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
 * Makes the object by which client-node represents one context. The object keeps the response of a credential plugin until the
 * response expires; a new object runs the plugin again.
 */
const toKubeConfig = (context: KubeconfigContext): KubeConfig => {
  const { clusterName, cluster, userName, user } = context;
  // client-node refuses plain HTTP unless the verification of certificates is off. Without TLS, there are no certificates to
  // verify.
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
    // client-node keeps the token of a plugin in this object until the token expires. Only a new object drops the token.
    forget: () => {
      config = toKubeConfig(context);
    },
  };
};
