import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { RequestRefusedError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import { answerInWords, requestInWords } from '#lib/sim/world/step/wording.ts';

/** Identifies one object. */
export interface UserTarget {
  readonly resource: Pick<ApiResource, 'apiVersion' | 'plural'>;
  readonly namespace?: string;
  readonly name: string;
}

/**
 * A user with kubectl. Requests arrive at once. Each method throws {@link RequestRefusedError}, a `SimulationError`, when the
 * server refuses its request.
 */
export interface User {
  create(
    resource: Pick<ApiResource, 'apiVersion' | 'plural'>,
    object: JsonObject & { readonly metadata: { readonly name: string; readonly namespace?: string } },
  ): JsonObject;
  /** Sends a merge patch of the object, or of one of its subresources. */
  patch(target: UserTarget, patch: JsonObject, options?: { readonly subresource?: string }): JsonObject;
  delete(target: UserTarget, options?: JsonObject): JsonObject;
  /** Sends any other request. */
  request(request: ServerRequest): JsonObject;
}

const FIRST_ERROR_CODE = 400;

const where = ({ resource, namespace, name }: UserTarget) => ({
  resource: resourceNameOf(resource),
  ...(namespace !== undefined && { namespace }),
  name,
});

/** Creates a user of the server. */
export const userOf = (server: ApiServer): User => {
  const request = (wish: ServerRequest): JsonObject => {
    const response = server.handle(wish);
    if (response.code < FIRST_ERROR_CODE) return response.body;
    const why = `${answerInWords(response)}: ${String(response.body['message'])}`;
    throw new RequestRefusedError(`The request was refused: ${requestInWords(wish)}: ${why}`, response);
  };
  const options = { fieldManager: 'kubectl' };
  return {
    request,
    create: (resource, object) => {
      const { namespace } = object.metadata;
      const scope = namespace === undefined ? {} : { namespace };
      return request({ verb: 'create', resource: resourceNameOf(resource), ...scope, options, body: object });
    },
    patch: (target, patch, { subresource } = {}) => {
      const part = subresource === undefined ? {} : { subresource };
      return request({ verb: 'patch', ...where(target), ...part, patchType: 'merge', options, body: patch });
    },
    delete: (target, body = {}) => request({ verb: 'delete', ...where(target), body }),
  };
};
