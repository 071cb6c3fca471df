import { asDeleted, asObject, asPage, describe } from './answer.ts';
import type { KubeApi } from './api.ts';
import type { Credentials } from './authentication.ts';
import { isRecord } from './json.ts';
import { LineSplitter } from './line-splitter.ts';
import { resourcePath } from './path.ts';
import type { TransportOptions } from './request.ts';
import { Transport } from './transport.ts';
import { parseWatchEvent } from './watch-event.ts';

/** A connection to one API server. */
export interface KubeClient extends KubeApi {
  /** Ends watches at once, requests when they are answered; further ones reject with `ConnectionError`. */
  close(): Promise<void>;
}

/** How much longer than agreed a watch may last, in milliseconds, before its connection counts as dead. */
const WATCH_GRACE_MS = 30_000;

const list =
  (transport: Transport): KubeApi['list'] =>
  async (resource, options = {}) => {
    const { namespace, limit, continueToken, signal } = options;
    const request = describe('list', resource);
    const path = resourcePath(resource, { ...(namespace !== undefined && { namespace }) });
    const query = { limit, continue: continueToken };
    return asPage(request, resource, await transport.request({ ...request, method: 'GET', path, query, signal }));
  };

const watch =
  (transport: Transport): KubeApi['watch'] =>
  async (resource, options, onEvent) => {
    const { namespace, resourceVersion, timeoutSeconds, signal } = options;
    const request = describe('watch', resource);
    const path = resourcePath(resource, { ...(namespace !== undefined && { namespace }) });
    const query = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds };
    const streamTimeoutMs = timeoutSeconds * 1000 + WATCH_GRACE_MS;
    const splitter = new LineSplitter();
    const deliver = (line: string): void => {
      if (line === '' || signal.aborted) return;
      onEvent(parseWatchEvent(`${request.verb} ${request.subject}`, line));
    };
    try {
      await transport.stream({ ...request, method: 'GET', path, query, signal, streamTimeoutMs }, (chunk) =>
        splitter.push(chunk).forEach(deliver),
      );
      deliver(splitter.end());
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

const get =
  (transport: Transport): KubeApi['get'] =>
  async (resource, target) => {
    const request = describe('get', resource, target);
    return asObject(
      request,
      await transport.request({ ...request, method: 'GET', path: resourcePath(resource, target) }),
    );
  };

const create =
  (transport: Transport): KubeApi['create'] =>
  async (resource, object, options) => {
    const { namespace, fieldManager } = options;
    const name = isRecord(object) && isRecord(object['metadata']) ? object['metadata']['name'] : undefined;
    const request = describe('create', resource, {
      ...(typeof name === 'string' && { name }),
      ...(namespace !== undefined && { namespace }),
    });
    const path = resourcePath(resource, { ...(namespace !== undefined && { namespace }) });
    const query = { fieldManager, fieldValidation: 'Strict' };
    return asObject(request, await transport.request({ ...request, method: 'POST', path, query, body: object }));
  };

const patchStatus =
  (transport: Transport): KubeApi['patchStatus'] =>
  async (resource, target, patch, options) => {
    const request = { ...describe('patch', resource, target) };
    const answer = await transport.request({
      ...request,
      method: 'PATCH',
      path: resourcePath(resource, { ...target, subresource: 'status' }),
      query: { fieldManager: options.fieldManager },
      contentType: 'application/merge-patch+json',
      body: patch,
    });
    return asObject(request, answer);
  };

const remove =
  (transport: Transport): KubeApi['delete'] =>
  async (resource, target, options) => {
    const { uid, resourceVersion, gracePeriodSeconds } = options;
    const request = describe('delete', resource, target);
    const body = {
      apiVersion: 'meta.k8s.io/v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      preconditions: { uid, ...(resourceVersion !== undefined && { resourceVersion }) },
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    };
    const path = resourcePath(resource, target);
    return asDeleted(request, resource, await transport.request({ ...request, method: 'DELETE', path, body }));
  };

/**
 * Connects to an API server. Nothing is sent before the first call.
 *
 * **Flow**: requests share a pool of kept-alive connections; each watch has a connection of its own.
 *
 * **Guarantees**: those of {@link Transport}: one more try after a 401 with renewed credentials, and no others.
 *
 * **Caveats**: rotated certificates are taken up by new connections; a watch under way stays on its old one until it ends.
 *
 * @throws ConfigurationError when the server of the credentials is not a URL
 * @example
 * const client = createKubeClient(await loadCredentials());
 * const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
 * const { items } = await client.list(pods, { namespace: 'default', limit: 500 });
 * await client.close();
 */
export const createKubeClient = (credentials: Credentials, options: TransportOptions = {}): KubeClient => {
  const transport = new Transport(credentials, options);
  return {
    list: list(transport),
    watch: watch(transport),
    get: get(transport),
    create: create(transport),
    patchStatus: patchStatus(transport),
    delete: remove(transport),
    close: () => transport.close(),
  };
};
