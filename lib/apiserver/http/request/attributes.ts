import type { IncomingMessage } from 'node:http';
import type { Impersonation } from '#lib/apiserver/access/impersonation.ts';
import type { ResourceAttributes } from '#lib/apiserver/access/user.ts';
import type { RequestVerb, ResourceRoute } from './route.ts';

/**
 * Returns the name in a field selector that allows only one name. A role that permits this name then permits the list or watch.
 * This rule does not apply to deletecollection.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/request/requestinfo.go (`RequiresExactMatch`)
 */
const onlyNameIn = (fieldSelector: string): string | undefined => {
  const [, name = ''] = /(?:^|,)metadata\.name==?([^\\,=/%]+)(?:,|$)/.exec(fieldSelector) ?? [];
  return ['', '.', '..'].includes(name) ? undefined : name;
};

/**
 * Returns the RBAC attributes of a request for a resource.
 *
 * @param verb - '' for a method that resources do not support
 * @param query - the query with its selectors; absent if the selectors are not attributes of the request
 */
export const attributesOf = (
  { resource, subresource, namespace, name }: ResourceRoute,
  verb: RequestVerb | '',
  query?: URLSearchParams,
): ResourceAttributes => ({
  verb,
  group: resource.group,
  resource: resource.plural,
  subresource,
  // As on the real server, the namespace of a request for a Namespace is the name of this Namespace.
  namespace: namespace ?? (resource.group === '' && resource.plural === 'namespaces' ? name : undefined),
  name: name ?? (verb === 'list' || verb === 'watch' ? onlyNameIn(query?.get('fieldSelector') ?? '') : undefined),
});

/**
 * Returns the RBAC attributes of an update or a patch that is about to create an object.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/patch.go (`createAuthorizerAttributes`)
 */
export const creationOf = (route: ResourceRoute): ResourceAttributes => ({
  ...attributesOf(route, 'create'),
  namespace: route.namespace,
});

const unescapedOr = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const EXTRA = 'impersonate-extra-';

const extraIn = (headers: NodeJS.Dict<string[]>): Impersonation['extra'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, values = []]) =>
      name.startsWith(EXTRA) ? [[unescapedOr(name.slice(EXTRA.length)), values]] : [],
    ),
  );

const NO_IMPERSONATION: Impersonation = { name: undefined, groups: [], uid: undefined, extra: {} };

/**
 * Reads the impersonation headers of a request.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export const impersonationIn = (message: IncomingMessage): Impersonation => {
  // Most requests have no impersonation headers. `headersDistinct` is slow, because it parses all headers.
  if (!message.rawHeaders.some((text) => /^impersonate-/i.test(text))) return NO_IMPERSONATION;
  const { headersDistinct } = message;
  return {
    name: headersDistinct['impersonate-user']?.[0],
    groups: headersDistinct['impersonate-group'] ?? [],
    uid: headersDistinct['impersonate-uid']?.[0],
    extra: extraIn(headersDistinct),
  };
};
