import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Informers } from './informer.ts';

/** The server, the clock and the informers that actors share. */
export interface ActorContext {
  readonly server: ApiServer;
  /** Returns the current time, in epoch milliseconds. */
  readonly now: () => number;
  readonly informers: Informers;
}

/** The field managers of three components of Kubernetes. Each is the first part of the user agent of its component. */
export const fieldManagers = {
  controllers: 'kube-controller-manager',
  scheduler: 'kube-scheduler',
  kubelet: 'kubelet',
} as const;

/** Returns a request for an object, with the resource, the namespace and the name of the object. */
export const requestFor = (
  resource: ResourceName,
  { metadata }: ServerObject,
  request: Pick<ServerRequest, 'verb'> & Partial<ServerRequest>,
): ServerRequest => ({
  resource,
  ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
  name: metadata.name,
  ...request,
});

/**
 * Returns an update request for an object or a subresource. The update fails if the stored object has another resource version.
 */
export const updateOf = (
  resource: ResourceName,
  object: ServerObject,
  { manager, subresource }: { readonly manager: string; readonly subresource?: string },
): ServerRequest =>
  requestFor(resource, object, {
    verb: 'update',
    ...(subresource !== undefined && { subresource }),
    options: { fieldManager: manager },
    body: object,
  });
