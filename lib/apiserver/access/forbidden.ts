import { failure, type StatusError } from '#lib/apiserver/machinery/status.ts';
import type { ClusterUser, RequestAttributes, ResourceAttributes } from './user.ts';

const whereOf = ({ namespace = '' }: ResourceAttributes): string =>
  namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;

const sentence = (user: ClusterUser, wanted: RequestAttributes): string => {
  const denial = `User ${JSON.stringify(user.name)} cannot ${wanted.verb}`;
  if ('path' in wanted) return `forbidden: ${denial} path "${wanted.path}"`;
  const { group, resource, subresource = '', name = '' } = wanted;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const subject = `${resource}${group === '' ? '' : `.${group}`}${name === '' ? '' : ` "${name}"`}`;
  return `${subject} is forbidden: ${denial} resource "${what}" in API group "${group}" ${whereOf(wanted)}`;
};

/**
 * Creates the error 403 with the message of the API server.
 *
 * @param reason - the end of the message, such as the bound roles that do not exist; '' without a reason
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/responsewriters/errors.go (`ForbiddenStatus`)
 */
export const forbiddenTo = (user: ClusterUser, wanted: RequestAttributes, reason: string): StatusError => {
  const message = `${sentence(user, wanted)}${reason === '' ? '' : `: ${reason}`}`;
  if ('path' in wanted) return failure({ code: 403, reason: 'Forbidden', message, details: {} });
  const { name = '', group, resource } = wanted;
  const details = { ...(name !== '' && { name }), ...(group !== '' && { group }), kind: resource };
  return failure({ code: 403, reason: 'Forbidden', message, details });
};

/** Creates the error 401 for a token that is not valid. */
export const unauthorized = (): StatusError => failure({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
