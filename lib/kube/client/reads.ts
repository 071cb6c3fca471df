import { asObject, asPage, describe } from '#lib/kube/interface/answer.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { Requester } from '#lib/kube/transport/request.ts';
import type { Transport } from '#lib/kube/transport/transport.ts';
import { LineSplitter } from './line-splitter.ts';
import { resourcePath } from './path.ts';
import { parseWatchEvent } from './watch-event.ts';

/**
 * The time by which a watch may last longer than the client has requested, in milliseconds. After that time, the connection
 * counts as broken.
 */
const WATCH_GRACE_MS = 30_000;

/** The query of a consistent watch-list. Without `resourceVersion`, `NotOlderThan` means the latest state. */
const WITH_EVERYTHING = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };

/**
 * The media type of a list of metadata only.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
 */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

const list =
  (transport: Transport): KubeApi['list'] =>
  async (resource, options = {}) => {
    const { namespace, labelSelector, fieldSelector, limit, continueToken, metadataOnly, signal, onRefused } = options;
    const request = describe('list', resource);
    const path = resourcePath(resource, { ...(namespace !== undefined && { namespace }) });
    const query = { labelSelector, fieldSelector, limit, continue: continueToken };
    const form = metadataOnly === true ? { accept: METADATA_ONLY } : {};
    const answer = await transport.request({ ...request, ...form, method: 'GET', path, query, signal });
    return asPage(request, answer, { ...resource, ...(onRefused && { onRefused }) });
  };

const watch =
  (transport: Transport): KubeApi['watch'] =>
  async (resource, options, onEvent) => {
    const { namespace, labelSelector, resourceVersion, timeoutSeconds, signal, held, onRefused = () => {} } = options;
    const request = describe('watch', resource);
    const path = resourcePath(resource, { ...(namespace !== undefined && { namespace }) });
    const from = resourceVersion === undefined ? WITH_EVERYTHING : { resourceVersion };
    const query = { watch: true, allowWatchBookmarks: true, labelSelector, timeoutSeconds, ...from };
    const streamTimeoutMs = timeoutSeconds * 1000 + WATCH_GRACE_MS;
    const splitter = new LineSplitter();
    const deliver = (text: string, isWhole: boolean): void => {
      if (text === '' || signal.aborted) return;
      const event = parseWatchEvent(`${request.verb} ${request.subject}`, { text, isWhole, onRefused, held });
      if (event) onEvent(event);
    };
    try {
      await transport.stream({ ...request, method: 'GET', path, query, signal, streamTimeoutMs }, (chunk) =>
        splitter.push(chunk).forEach((line) => deliver(line, true)),
      );
      deliver(splitter.end(), false);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

/** Makes the operation `get` of a client. */
export const createGet =
  (transport: Requester): KubeApi['get'] =>
  async (resource, target) => {
    const request = describe('get', resource, target);
    return asObject(
      request,
      await transport.request({ ...request, method: 'GET', path: resourcePath(resource, target) }),
    );
  };

/** The reading operations: list, watch, get. */
export const createReads = (transport: Transport): Pick<KubeApi, 'list' | 'watch' | 'get'> => ({
  list: list(transport),
  watch: watch(transport),
  get: createGet(transport),
});
