import { invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { optionalIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { isResource } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { badRequest, notFound, notImplemented } from '#lib/apiserver/machinery/status.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Authorizer } from './authorizer.ts';
import { attributesIn, checkAttributes, specIn } from './review-body.ts';
import { subjectAccessReview, tokenReview } from './reviews-of-others.ts';
import { ISSUER, serviceAccounts, type Tokens } from './tokens.ts';
import { type ClusterUser, userInfo } from './user.ts';

/** Dependencies of reviews. */
export interface ReviewContext {
  readonly server: ApiServer;
  readonly authorizer: Authorizer;
  readonly tokens: Tokens;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
}

const AUTHORIZATION = 'authorization.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';
const TEN_MINUTES_S = 600;
const HOUR_S = 3600;
const LONGEST_S = 2 ** 32;

const accessReview = ({ authorizer }: ReviewContext, user: ClusterUser, spec: JsonObject): JsonObject => {
  checkAttributes(spec);
  const { isAllowed, reason } = authorizer.decide(user, attributesIn(spec));
  return {
    kind: 'SelfSubjectAccessReview',
    apiVersion: `${AUTHORIZATION}/v1`,
    metadata: {},
    spec,
    status: { allowed: isAllowed, ...(reason !== '' && { reason }) },
  };
};

const rulesReview = ({ authorizer }: ReviewContext, user: ClusterUser, spec: JsonObject): JsonObject => {
  const namespace = textIn(spec, 'namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules: granted, missing } = authorizer.granted(user, namespace);
  const rules = granted.map(({ rule }) => rule);
  return {
    kind: 'SelfSubjectRulesReview',
    apiVersion: `${AUTHORIZATION}/v1`,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules
        .filter(({ resources = [] }) => resources.length > 0)
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({
          verbs,
          ...(apiGroups && { apiGroups }),
          ...(resources && { resources }),
          ...(resourceNames && { resourceNames }),
        })),
      nonResourceRules: rules
        .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(missing !== '' && { evaluationError: missing }),
    },
  };
};

const subjectReview = ({ now }: ReviewContext, user: ClusterUser): JsonObject => ({
  kind: 'SelfSubjectReview',
  apiVersion: `${AUTHENTICATION}/v1`,
  metadata: { creationTimestamp: timestamp(now()) },
  status: { userInfo: userInfo(user) },
});

const secondsIn = (spec: JsonObject): number => {
  const seconds = spec['expirationSeconds'] ?? HOUR_S;
  const problem =
    typeof seconds !== 'number' || seconds < TEN_MINUTES_S
      ? 'may not specify a duration less than 10 minutes'
      : 'may not specify a duration larger than 2^32 seconds';
  if (typeof seconds === 'number' && seconds >= TEN_MINUTES_S && seconds <= LONGEST_S) return seconds;
  throw invalid({ group: AUTHENTICATION, kind: 'TokenRequest', name: '' }, [
    invalidValue('spec.expirationSeconds', seconds, problem),
  ]);
};

const audiencesIn = (spec: JsonObject): readonly string[] => {
  const audiences = textsIn(spec, 'audiences');
  return audiences.length === 0 ? [ISSUER] : audiences;
};

/** @see k8s.io/kubernetes v1.36.4 pkg/registry/core/serviceaccount/storage/token.go (`Create`) */
const tokenRequest = (context: ReviewContext, { namespace = '', name = '', body }: ServerRequest): JsonObject => {
  const { server, tokens, now } = context;
  const account = server.objects(serviceAccounts, namespace).find(({ metadata }) => metadata.name === name);
  if (account === undefined) throw notFound({ group: '', kind: 'serviceaccounts', name });
  const spec = specIn(body ?? {});
  const expirationSeconds = secondsIn(spec);
  if (optionalIn(spec, 'boundObjectRef')) throw notImplemented('a token that is bound to an object');
  const audiences = audiencesIn(spec);
  const expiresAt = Math.floor(now() / 1000) + expirationSeconds;
  const { uid } = account.metadata;
  return {
    kind: 'TokenRequest',
    apiVersion: `${AUTHENTICATION}/v1`,
    metadata: { name, namespace, uid, creationTimestamp: timestamp(now()) },
    spec: { audiences, expirationSeconds, boundObjectRef: null },
    status: {
      token: tokens.issue({ namespace, name, uid, audiences, expiresAt }),
      expirationTimestamp: timestamp(expiresAt * 1000),
    },
  };
};

type Answer = (context: ReviewContext, user: ClusterUser, request: ServerRequest) => JsonObject;

const REVIEWS: Readonly<Record<string, Answer>> = {
  [`${AUTHORIZATION}/selfsubjectaccessreviews`]: (context, user, { body }) => accessReview(context, user, specIn(body)),
  [`${AUTHORIZATION}/selfsubjectrulesreviews`]: (context, user, { body }) => rulesReview(context, user, specIn(body)),
  [`${AUTHORIZATION}/subjectaccessreviews`]: ({ authorizer }, _, { body }) =>
    subjectAccessReview(authorizer, specIn(body)),
  [`${AUTHORIZATION}/localsubjectaccessreviews`]: ({ authorizer }, _, { body, namespace = '' }) =>
    subjectAccessReview(authorizer, specIn(body), namespace),
  [`${AUTHENTICATION}/selfsubjectreviews`]: (context, user) => subjectReview(context, user),
  [`${AUTHENTICATION}/tokenreviews`]: ({ tokens }, _, { body }) => tokenReview(tokens, specIn(body)),
};

/**
 * Handles requests that are not stored: token requests, and reviews of tokens, users and rights.
 *
 * @returns undefined for any other request
 * @throws {StatusError} when the request is invalid, or its service account does not exist
 */
export const answerAccessReview = (
  context: ReviewContext,
  user: ClusterUser,
  request: ServerRequest,
): ServerResponse | undefined => {
  const { resource, verb, subresource } = request;
  if (verb !== 'create') return undefined;
  if (isResource(resource, serviceAccounts) && subresource === 'token') {
    return { code: 201, body: tokenRequest(context, request) };
  }
  const answer = resource.version === 'v1' ? REVIEWS[`${resource.group}/${resource.plural}`] : undefined;
  return answer && { code: 201, body: answer(context, user, request) };
};
