import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConnectionError } from '#lib/errors.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import type { ApiAnswer, AskOptions, Cluster, ClusterChoice } from './context.ts';

/** Timeout of a request, in milliseconds. The timeout is short, because a user waits for the result. */
const PATIENCE_MS = 15_000;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

interface AskedRequest extends AskOptions {
  readonly path: string;
  readonly body: object | undefined;
}

const contentTypes = { POST: 'application/json', PATCH: 'application/merge-patch+json' } as const;

const ask = async (credentials: Credentials, { path, body, method = 'POST' }: AskedRequest): Promise<ApiAnswer> => {
  const { headers, tls } = await credentials.authenticate();
  const url = new URL(`${credentials.server}${path}`);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void =>
      reject(new ConnectionError(`Cannot reach ${credentials.server}: ${error.message}`, { cause: error }));
    const request = send(
      url,
      {
        method: body === undefined ? 'GET' : method,
        headers: { ...headers, accept: 'application/json', 'content-type': contentTypes[method] },
        ...tls,
        agent: false,
        timeout: PATIENCE_MS,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', refuse);
        answer.on('end', () => {
          const date = Date.parse(answer.headers.date ?? '');
          resolve({
            code: answer.statusCode ?? 0,
            body: parsed(Buffer.concat(chunks).toString('utf8')),
            date: Number.isNaN(date) ? undefined : date,
          });
        });
      },
    );
    request.on('error', refuse);
    request.on('timeout', () => request.destroy(new Error(`no answer in ${PATIENCE_MS / 1000} s`)));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
};

/**
 * Loads the credentials that the options choose. `--kubeconfig` replaces `KUBECONFIG`.
 *
 * @throws {ConfigurationError} when the kubeconfig or the context does not exist, or cannot be used
 */
export const credentialsOf = (
  { kubeconfig, context }: ClusterChoice,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Credentials> =>
  loadCredentials({ env: kubeconfig === undefined ? env : { ...env, KUBECONFIG: kubeconfig }, context });

type Env = Readonly<Record<string, string | undefined>>;

const pathsOf = ({ kubeconfig }: ClusterChoice, env: Env): readonly string[] => {
  const named = kubeconfig ?? env['KUBECONFIG'];
  return named ? named.split(delimiter).filter(Boolean) : [join(env['HOME'] ?? homedir(), '.kube', 'config')];
};

/** The names of the contexts in the kubeconfig that the options choose. */
export const contextsOf = async (choice: ClusterChoice, env: Env): Promise<readonly string[]> => {
  const { contextNames } = await import('#lib/kube/credentials/kubeconfig-file.ts');
  return contextNames(pathsOf(choice, env));
};

/**
 * The name of the context that the options choose.
 *
 * @throws {ConfigurationError} when the kubeconfig or the context does not exist, or cannot be used
 */
export const contextOf = async (choice: ClusterChoice, env: Env): Promise<string> => {
  const { readKubeconfig } = await import('#lib/kube/credentials/kubeconfig-file.ts');
  return (await readKubeconfig(pathsOf(choice, env), choice.context)).name;
};

/** Creates a client for the cluster of the credentials. The first request is sent when the client is first used. */
export const clusterOver = (
  credentials: Credentials,
  { namespace, signal }: { readonly namespace?: string | undefined; readonly signal: AbortSignal },
): Cluster => {
  const api = createKubeClient(credentials, { requestTimeoutMs: PATIENCE_MS });
  signal.addEventListener('abort', () => void api.abandon(), { once: true });
  return {
    api,
    server: credentials.server,
    namespace: namespace ?? credentials.namespace,
    source: credentials.source,
    ask: (path, body, options) => ask(credentials, { path, body, ...options }),
    close: () => api.close(),
  };
};

/**
 * Creates a client for the cluster that the options choose. The first request is sent when the client is first used.
 *
 * @throws {ConfigurationError} when the kubeconfig or the context does not exist, or cannot be used
 */
export const connectTo = async (
  choice: ClusterChoice,
  { env, signal }: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): Promise<Cluster> => clusterOver(await credentialsOf(choice, env), { namespace: choice.namespace, signal });
