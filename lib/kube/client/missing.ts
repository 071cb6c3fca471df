import { ApiError } from '#lib/errors.ts';
import type { ApiObject, ApiResource, ApiTarget, KubeApi } from '#lib/kube/interface/api.ts';

/**
 * Whether the API server reports that an object does not exist: a 404 with a `Status` that names this object. Any other 404 may
 * have another cause, such as an unserved version, a missing namespace, or a proxy without a backend.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go
 * (`NewNotFound`)
 */
export const isMissing = (
  error: unknown,
  { plural, kind }: Pick<ApiResource, 'plural' | 'kind'>,
  name: string,
): error is ApiError => {
  if (!(error instanceof ApiError && error.httpStatus === 404)) return false;
  const { subject } = error;
  // In the responses of kube-apiserver, `kind` is the plural name of the resource. Some other servers send the kind itself.
  return subject?.name === name && (subject.kind === undefined || subject.kind === plural || subject.kind === kind);
};

/**
 * Reads an object; undefined when it does not exist.
 *
 * @throws {ApiError} for any other refusal, including a 404 that does not name the object ({@link isMissing})
 * @throws {ConnectionError} when there was no response
 */
export const tryGet = async (
  api: Pick<KubeApi, 'get'>,
  resource: ApiResource,
  target: ApiTarget,
): Promise<ApiObject | undefined> => {
  try {
    return await api.get(resource, target);
  } catch (error) {
    if (isMissing(error, resource, target.name)) return undefined;
    throw error;
  }
};
