import type { ServerEvent, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import type { JsonObject } from '#lib/json.ts';
import { type AskedRequest, asDeleted, asObject, asPage, describe } from '#lib/kube/interface/answer.ts';
import type { ApiTarget, KubeApi, WatchEvent, WriteOptions } from '#lib/kube/interface/api.ts';
import { bookmarkOf } from '#lib/kube/interface/bookmark.ts';
import { errorOfStatus } from '#lib/kube/interface/status-error.ts';
import type { VirtualTransport } from './transport.ts';

const FIRST_ERROR_CODE = 400;

/**
 * Converts an event of the server to an event of the client; `undefined` for a bookmark without a resource version.
 *
 * @throws {ApiError} for an ERROR event
 */
const toWatchEvent = (asked: AskedRequest, event: ServerEvent): WatchEvent | undefined => {
  switch (event.type) {
    case 'BOOKMARK':
      return bookmarkOf(event.object);
    case 'ERROR':
      throw errorOfStatus(`${asked.verb} ${asked.subject}`, event.object);
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object: event.object };
  }
};

const whereOf = ({ namespace }: { readonly namespace?: string }): { readonly namespace?: string } =>
  namespace === undefined || namespace === '' ? {} : { namespace };

const targetOf = ({ name, ...where }: ApiTarget): ApiTarget => ({ ...whereOf(where), name });

const requester =
  (transport: VirtualTransport) =>
  async (asked: AskedRequest, request: ServerRequest): Promise<JsonObject> => {
    const { code, body } = await transport.request(request);
    if (code >= FIRST_ERROR_CODE) throw errorOfStatus(`${asked.verb} ${asked.subject}`, body);
    return body;
  };

type Send = ReturnType<typeof requester>;

const reads = (send: Send): Pick<KubeApi, 'list' | 'get'> => ({
  list: async (resource, options = {}) => {
    const { labelSelector, fieldSelector, limit, continueToken } = options;
    const asked = describe('list', resource);
    const page = {
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(limit !== undefined && { limit }),
      ...(continueToken !== undefined && { continue: continueToken }),
    };
    const request = { verb: 'list', resource: resourceNameOf(resource), ...whereOf(options), options: page } as const;
    return asPage(asked, await send(asked, request), resource);
  },
  get: async (resource, target) => {
    const asked = describe('get', resource, target);
    return asObject(asked, await send(asked, { verb: 'get', resource: resourceNameOf(resource), ...targetOf(target) }));
  },
});

const optionsOf = ({ fieldManager, dryRun = false }: WriteOptions) => ({ fieldManager, dryRun });

const writes = (send: Send): Pick<KubeApi, 'create' | 'apply' | 'patch' | 'patchStatus' | 'delete'> => ({
  create: async (resource, object, { namespace, ...write }) => {
    const { metadata } = object as { readonly metadata?: { readonly name?: string } };
    const where = whereOf({ ...(namespace !== undefined && { namespace }) });
    const asked = describe('create', resource, {
      ...where,
      ...(metadata?.name !== undefined && { name: metadata.name }),
    });
    const options = { ...optionsOf(write), fieldValidation: 'Strict' } as const;
    const request = { verb: 'create', resource: resourceNameOf(resource), ...where, options, body: object } as const;
    return asObject(asked, await send(asked, request));
  },
  apply: async (resource, target, object, { force, subresource, ...write }) => {
    const asked = describe('patch', resource, target);
    const options = { ...optionsOf(write), force, fieldValidation: 'Strict' } as const;
    const what = { patchType: 'apply', options, body: object, ...(subresource && { subresource }) } as const;
    return asObject(
      asked,
      await send(asked, { verb: 'patch', resource: resourceNameOf(resource), ...targetOf(target), ...what }),
    );
  },
  patch: async (resource, target, body, { type, ...write }) => {
    const asked = describe('patch', resource, target);
    const options = { ...optionsOf(write), fieldValidation: 'Strict' } as const;
    const what = { patchType: type, options, body } as const;
    return asObject(
      asked,
      await send(asked, { verb: 'patch', resource: resourceNameOf(resource), ...targetOf(target), ...what }),
    );
  },
  patchStatus: async (resource, target, patch, write) => {
    const asked = describe('patch', resource, target);
    const status = { subresource: 'status', patchType: 'merge', options: optionsOf(write), body: patch } as const;
    const request = { verb: 'patch', resource: resourceNameOf(resource), ...targetOf(target), ...status } as const;
    return asObject(asked, await send(asked, request));
  },
  delete: async (resource, target, { uid, resourceVersion, gracePeriodSeconds }) => {
    const asked = describe('delete', resource, target);
    const body = {
      propagationPolicy: 'Background',
      preconditions: { uid, ...(resourceVersion !== undefined && { resourceVersion }) },
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    };
    const request = { verb: 'delete', resource: resourceNameOf(resource), ...targetOf(target), body } as const;
    return asDeleted(asked, resource, await send(asked, request));
  },
});

const WITH_EVERYTHING = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };

const watch =
  (transport: VirtualTransport): KubeApi['watch'] =>
  async (resource, options, onEvent) => {
    const { labelSelector, resourceVersion, timeoutSeconds, signal } = options;
    const asked = describe('watch', resource);
    const from = {
      resource: resourceNameOf(resource),
      ...whereOf(options),
      ...(labelSelector !== undefined && { labelSelector }),
      allowWatchBookmarks: true,
      ...(resourceVersion === undefined ? WITH_EVERYTHING : { resourceVersion }),
    };
    await transport.watch(from, { timeoutSeconds, signal }, (given) => {
      const event = toWatchEvent(asked, given);
      if (event) onEvent(event);
    });
  };

/**
 * Returns a client of the virtual API server with the interface that the loop uses.
 *
 * @param transport - delivers requests: immediately ({@link directTransport}), or as steps of a schedule
 */
export const kubeApiOver = (transport: VirtualTransport): KubeApi => {
  const send = requester(transport);
  return { ...reads(send), ...writes(send), watch: watch(transport) };
};
