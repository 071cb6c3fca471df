import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Informers } from './informer.ts';

/** The dependencies of every actor. */
export interface ActorContext {
  readonly server: ApiServer;
  /** Returns the current time, in epoch milliseconds. */
  readonly now: () => number;
  readonly informers: Informers;
}

/** Field managers of the real programs. Each is the first part of the user agent of the program. */
export const fieldManagers = {
  controllers: 'kube-controller-manager',
  scheduler: 'kube-scheduler',
  kubelet: 'kubelet',
} as const;

/** A request about one object. */
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

/** A PUT of an object, which fails if the stored object has another resource version. */
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
