import type { RequestOptions } from 'node:https';
import { KubeConfig, loadYaml } from '@kubernetes/client-node';
import type { TlsMaterial } from './authentication.ts';
import { asText, isRecord } from './json.ts';
import type { KubeconfigContext } from './kubeconfig-file.ts';

/** What client-node makes of a context. */
export interface ResolvedUser {
  /** The value of the `authorization` header, if there is one. */
  readonly authorization: string | undefined;
  readonly tls: TlsMaterial;
}

/** The longest part of a credential plugin's complaint that goes into a message, in characters. */
const SHOWN_COMPLAINT_LENGTH = 300;

/**
 * Tells plugins which form of answer we understand, as kubectl does; client-node does not, and some plugins insist.
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
 * Makes client-node's view of one context. It keeps the answer of a credential plugin until that expires; a new view asks
 * the plugin again.
 */
export const toKubeConfig = (context: KubeconfigContext): KubeConfig => {
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

/**
 * Lets client-node find out who we are: it reads files, runs a credential plugin, renews an OIDC token, as the user's entry
 * asks for.
 *
 * @throws Error of whatever went wrong; see {@link complaintOf} before showing it
 */
export const resolveUser = async (config: KubeConfig): Promise<ResolvedUser> => {
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const header = isRecord(options.headers) ? asText(options.headers['Authorization']) : undefined;
  return { authorization: header ?? (options.auth ? basic(options.auth) : undefined), tls: toTls(options) };
};

/** Parses YAML. @throws Error with an excerpt of the text in its message */
export const parseYaml = (text: string): unknown => loadYaml(text);

/**
 * Says why credentials could not be had. A parse error quotes what it could not parse, which may be a token, so only its
 * kind is told.
 */
export const complaintOf = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'the credential plugin printed something that is not JSON';
  const text = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
  return text.slice(0, SHOWN_COMPLAINT_LENGTH) || 'the credential plugin failed without a message';
};
