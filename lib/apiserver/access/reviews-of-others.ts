import { invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { optionalIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Authorizer } from './authorizer.ts';
import { attributesIn, checkAttributes } from './review-body.ts';
import { ISSUER, type Tokens } from './tokens.ts';
import { userInfo } from './user.ts';

const AUTHORIZATION = 'authorization.k8s.io';

const checkSubject = (spec: JsonObject): void => {
  checkAttributes(spec);
  if (textIn(spec, 'user') !== '' || textsIn(spec, 'groups').length > 0) return;
  const why = 'at least one of user or group must be specified';
  throw invalid({ group: AUTHORIZATION, kind: '', name: '' }, [invalidValue('spec.user', '', why)]);
};

/**
 * Answers a SubjectAccessReview, or a LocalSubjectAccessReview, which covers a single namespace.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/authorization/subjectaccessreview/rest.go, localsubjectaccessreview/rest.go
 * @param namespace - the namespace of a local review
 * @throws {StatusError} 422 for a review without a user and without groups, or without exactly one kind of attributes; 400 for a
 * local review with resource attributes of another namespace, or without resource attributes
 */
export const subjectAccessReview = (authorizer: Authorizer, spec: JsonObject, namespace?: string): JsonObject => {
  const kind = namespace === undefined ? 'SubjectAccessReview' : 'LocalSubjectAccessReview';
  checkSubject(spec);
  if (namespace !== undefined && textIn(optionalIn(spec, 'resourceAttributes'), 'namespace') !== namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  }
  const user = { name: textIn(spec, 'user'), uid: textIn(spec, 'uid'), groups: textsIn(spec, 'groups') };
  const { isAllowed, reason } = authorizer.decide(user, attributesIn(spec));
  return {
    kind,
    apiVersion: `${AUTHORIZATION}/v1`,
    metadata: { ...(namespace !== undefined && { namespace }) },
    spec,
    status: { allowed: isAllowed, ...(reason !== '' && { reason }) },
  };
};

/**
 * Answers a TokenReview. The status contains the user of the token, or an error for an invalid token.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/authentication/tokenreview/storage.go
 * @throws {StatusError} 400 when the review has no token
 */
export const tokenReview = (tokens: Tokens, spec: JsonObject): JsonObject => {
  const token = textIn(spec, 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const audiences = textsIn(spec, 'audiences');
  const read = tokens.read(token, audiences.length === 0 ? [ISSUER] : audiences);
  return {
    kind: 'TokenReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {},
    spec,
    status: read
      ? { authenticated: true, user: userInfo(read.user), audiences: read.audiences }
      : { user: {}, error: 'invalid bearer token' },
  };
};
