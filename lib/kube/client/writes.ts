import { asDeleted, asObject, describe } from '#lib/kube/interface/answer.ts';
import type { KubeApi, WriteOptions } from '#lib/kube/interface/api.ts';
import { isRecord } from '#lib/kube/interface/json.ts';
import type { Requester } from '#lib/kube/transport/request.ts';
import { resourcePath } from './path.ts';

const queryOf = ({ fieldManager, dryRun }: WriteOptions) => ({ fieldManager, dryRun: dryRun ? 'All' : undefined });

const create =
  (transport: Requester): KubeApi['create'] =>
  async (resource, object, options) => {
    const { namespace } = options;
    const name = isRecord(object) && isRecord(object['metadata']) ? object['metadata']['name'] : undefined;
    const request = describe('create', resource, {
      ...(typeof name === 'string' && { name }),
      ...(namespace !== undefined && { namespace }),
    });
    const path = resourcePath(resource, { ...(namespace !== undefined && { namespace }) });
    const query = { ...queryOf(options), fieldValidation: 'Strict' };
    return asObject(request, await transport.request({ ...request, method: 'POST', path, query, body: object }));
  };

const apply =
  (transport: Requester): KubeApi['apply'] =>
  async (resource, target, object, options) => {
    const request = describe('patch', resource, target);
    const answer = await transport.request({
      ...request,
      method: 'PATCH',
      path: resourcePath(resource, { ...target, ...(options.subresource && { subresource: options.subresource }) }),
      query: { ...queryOf(options), force: options.force, fieldValidation: 'Strict' },
      contentType: 'application/apply-patch+yaml',
      body: object,
    });
    return asObject(request, answer);
  };

const patchTypes = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' } as const;

const patch =
  (transport: Requester): KubeApi['patch'] =>
  async (resource, target, body, options) => {
    const request = describe('patch', resource, target);
    const answer = await transport.request({
      ...request,
      method: 'PATCH',
      path: resourcePath(resource, target),
      query: { ...queryOf(options), fieldValidation: 'Strict' },
      contentType: patchTypes[options.type],
      body,
    });
    return asObject(request, answer);
  };

const patchStatus =
  (transport: Requester): KubeApi['patchStatus'] =>
  async (resource, target, patch, options) => {
    const request = { ...describe('patch', resource, target) };
    const answer = await transport.request({
      ...request,
      method: 'PATCH',
      path: resourcePath(resource, { ...target, subresource: 'status' }),
      query: queryOf(options),
      contentType: 'application/merge-patch+json',
      body: patch,
    });
    return asObject(request, answer);
  };

const remove =
  (transport: Requester): KubeApi['delete'] =>
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

/** The writing operations: create, apply, patch, patchStatus, delete. */
export const createWrites = (
  transport: Requester,
): Pick<KubeApi, 'create' | 'apply' | 'patch' | 'patchStatus' | 'delete'> => ({
  create: create(transport),
  apply: apply(transport),
  patch: patch(transport),
  patchStatus: patchStatus(transport),
  delete: remove(transport),
});
