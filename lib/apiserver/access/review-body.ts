import { invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { RequestAttributes } from './user.ts';

/** Returns the spec of a review; the empty object when absent. @throws {StatusError} 400 for a body that is not an object */
export const specIn = (body: unknown): JsonObject => {
  if (!isPlainObject(body)) throw badRequest('the body of a review must be an object with a spec');
  return optionalIn(body, 'spec') ?? {};
};

/** Returns the RBAC attributes in an access review: those of a resource, or else those of a path. */
export const attributesIn = (spec: JsonObject): RequestAttributes => {
  const resource = optionalIn(spec, 'resourceAttributes');
  if (resource === undefined) {
    const path = optionalIn(spec, 'nonResourceAttributes');
    return { verb: textIn(path, 'verb'), path: textIn(path, 'path') };
  }
  return {
    verb: textIn(resource, 'verb'),
    group: textIn(resource, 'group'),
    resource: textIn(resource, 'resource'),
    subresource: textIn(resource, 'subresource'),
    namespace: textIn(resource, 'namespace'),
    name: textIn(resource, 'name'),
  };
};

/**
 * Checks that a review has either resource attributes or path attributes.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/authorization/validation/validation.go (`ValidateSelfSubjectAccessReviewSpec`)
 * @throws {StatusError} 422
 */
export const checkAttributes = (spec: JsonObject): void => {
  const ways = ['resourceAttributes', 'nonResourceAttributes'].filter((way) => optionalIn(spec, way) !== undefined);
  const [path, value, problem] =
    ways.length === 0
      ? ['resourceAttributes', null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified']
      : [
          'nonResourceAttributes',
          spec['nonResourceAttributes'],
          'cannot be specified in combination with resourceAttributes',
        ];
  if (ways.length === 1) return;
  // The kind is empty, because the real server does not have the kind of the review at this point.
  throw invalid({ group: 'authorization.k8s.io', kind: '', name: '' }, [invalidValue(`spec.${path}`, value, problem)]);
};
