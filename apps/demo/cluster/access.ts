import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { type Discovery, discovery } from '#lib/kube/client/discovery.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import type { TransportRequest } from '#lib/kube/transport/request.ts';
import { Transport } from '#lib/kube/transport/transport.ts';

/** A request that the typed client has no word for. */
export type PlainRequest = Pick<TransportRequest, 'method' | 'path' | 'body' | 'contentType'>;

/** A cluster as its administrator reaches it. */
export interface Access extends AsyncDisposable {
  readonly credentials: Credentials;
  readonly api: KubeClient;
  /**
   * Sends a request and gives its answer, which the caller says the type of.
   *
   * @throws {ApiError} when the server refuses
   */
  readonly send: <Answer = unknown>(request: PlainRequest) => Promise<Answer>;
  /** What the cluster calls kinds in its paths; asked for once. */
  readonly discovery: Discovery;
  /** Commands that would remove what was created here and is there still, the oldest first. */
  readonly standing: Set<string>;
}

/**
 * Opens a cluster; nothing is sent yet.
 *
 * @throws {ConfigurationError} when the kubeconfig cannot be used
 */
export const accessTo = async (kubeconfig: string): Promise<Access> => {
  const credentials = await loadCredentials({ env: { KUBECONFIG: kubeconfig } });
  const api = createKubeClient(credentials);
  const transport = new Transport(credentials);
  const send = async <Answer>(request: PlainRequest): Promise<Answer> => {
    const { method, path } = request;
    return (await transport.request({ verb: method, resource: path, subject: path, ...request })) as Answer;
  };
  return {
    credentials,
    api,
    standing: new Set(),
    send,
    discovery: discovery((path) => send({ method: 'GET', path })),
    [Symbol.asyncDispose]: async () => void (await Promise.all([api.close(), transport.close()])),
  };
};
