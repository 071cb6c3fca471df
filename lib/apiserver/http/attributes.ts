import type { IncomingMessage } from 'node:http';
import type { Impersonation } from '#lib/apiserver/access/impersonation.ts';
import type { ResourceAttributes } from '#lib/apiserver/access/user.ts';
import type { ResourceRoute, Verb } from './route.ts';

/**
 * The one name that a selector lets through: a role for that name is enough then. Deletions of collections do not count.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/request/requestinfo.go (`RequiresExactMatch`)
 */
const onlyNameIn = (fieldSelector: string): string | undefined => {
  const [, name = ''] = /(?:^|,)metadata\.name==?([^\\,=/%]+)(?:,|$)/.exec(fieldSelector) ?? [];
  return ['', '.', '..'].includes(name) ? undefined : name;
};

/**
 * What a request for a resource wants.
 *
 * @param verb - '' for a method that no resource has
 * @param query - absent where its selectors do not count
 */
export const attributesOf = (
  { resource, subresource, namespace, name }: ResourceRoute,
  verb: Verb | '',
  query?: URLSearchParams,
): ResourceAttributes => ({
  verb,
  group: resource.group,
  resource: resource.plural,
  subresource,
  // The real server takes a namespace for being in itself.
  namespace: namespace ?? (resource.group === '' && resource.plural === 'namespaces' ? name : undefined),
  name: name ?? (verb === 'list' || verb === 'watch' ? onlyNameIn(query?.get('fieldSelector') ?? '') : undefined),
});

/**
 * What an update or a patch wants that is about to create.
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

const NOBODY: Impersonation = { name: undefined, groups: [], uid: undefined, extra: {} };

/**
 * As whom a request is to be carried out.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export const impersonationIn = (message: IncomingMessage): Impersonation => {
  // Collecting all headers costs more than most requests do.
  if (!message.rawHeaders.some((text) => /^impersonate-/i.test(text))) return NOBODY;
  const { headersDistinct } = message;
  return {
    name: headersDistinct['impersonate-user']?.[0],
    groups: headersDistinct['impersonate-group'] ?? [],
    uid: headersDistinct['impersonate-uid']?.[0],
    extra: extraIn(headersDistinct),
  };
};
