import { ConfigurationError } from '#lib/errors.ts';
import type { Credentials } from './credentials.ts';
import type { Http } from './http.ts';

/** What a registry wants to see: a password, or a token of some service. */
interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly parameters: Readonly<Record<string, string>>;
}

/** What a client wants to do, and its proof of identity. */
interface Wanted {
  /** Such as `repository:acme/web:pull`. */
  readonly scope: string;
  readonly credentials: Credentials | undefined;
}

/** Reads the header `WWW-Authenticate`. */
const challengeOf = (header: string): Challenge | undefined => {
  const [, scheme = ''] = /^(\w+)/.exec(header) ?? [];
  const name = scheme.toLowerCase();
  if (name !== 'basic' && name !== 'bearer') return undefined;
  const parameters = [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value] as const);
  return { scheme: name, parameters: Object.fromEntries(parameters) };
};

const basic = ({ username, password }: { readonly username: string; readonly password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** A token service in plain text would receive passwords; a registry on this machine may have one. */
const checkedRealm = (realm: string, registry: URL): URL => {
  const url = URL.parse(realm);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && registry.protocol === 'http:')) return url;
  throw new ConfigurationError(`Cannot sign in to ${registry.host}: its token service "${realm}" is not an https URL`);
};

const requestToken = (http: Http, realm: URL, service: string, { scope, credentials }: Wanted) => {
  if (credentials !== undefined && 'identityToken' in credentials) {
    const form = {
      grant_type: 'refresh_token',
      service,
      scope,
      client_id: 'cdk8s-reconcile',
      refresh_token: credentials.identityToken,
    };
    return http.send(realm, { method: 'POST', body: new URLSearchParams(form) });
  }
  const url = new URL(realm);
  if (service !== '') url.searchParams.set('service', service);
  url.searchParams.set('scope', scope);
  return http.send(url, credentials === undefined ? {} : { headers: { authorization: basic(credentials) } });
};

/**
 * Answers the challenge of a registry.
 *
 * @param registry - its URL
 * @param header - `WWW-Authenticate` of its response 401
 * @returns a value for the header `Authorization`; undefined when there is nothing to answer with
 * @see https://distribution.github.io/distribution/spec/auth/token/
 */
export const authorizationFor = async (
  http: Http,
  registry: URL,
  header: string,
  { scope, credentials }: Wanted,
): Promise<string | undefined> => {
  const challenge = challengeOf(header);
  if (challenge === undefined) return undefined;
  if (challenge.scheme === 'basic')
    return credentials !== undefined && 'username' in credentials ? basic(credentials) : undefined;
  const realm = checkedRealm(challenge.parameters['realm'] ?? '', registry);
  const response = await requestToken(http, realm, challenge.parameters['service'] ?? '', { scope, credentials });
  if (!response.ok) {
    await response.body?.cancel();
    return undefined;
  }
  const { token, access_token = token } = (await response.json()) as {
    readonly token?: string;
    readonly access_token?: string;
  };
  return access_token === undefined ? undefined : `Bearer ${access_token}`;
};
