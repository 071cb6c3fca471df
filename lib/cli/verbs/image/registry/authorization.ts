import { ConfigurationError } from '#lib/errors.ts';
import type { RegistryCredentials } from './credentials.ts';
import type { Http } from './http.ts';

/** The challenge of a registry, which demands a password (`basic`) or a token of a token service (`bearer`). */
interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly parameters: Readonly<Record<string, string>>;
}

interface Wanted {
  /** The scope, such as `repository:acme/web:pull`. */
  readonly scope: string;
  readonly credentials: RegistryCredentials | undefined;
}

/** Parses the header `WWW-Authenticate`; undefined for other schemes than `basic` and `bearer`. */
const challengeOf = (header: string): Challenge | undefined => {
  const [, scheme = ''] = /^(\w+)/.exec(header) ?? [];
  const name = scheme.toLowerCase();
  if (name !== 'basic' && name !== 'bearer') return undefined;
  const parameters = [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value] as const);
  return { scheme: name, parameters: Object.fromEntries(parameters) };
};

const basic = ({ username, password }: { readonly username: string; readonly password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/**
 * Refuses a token service without TLS, because passwords would be readable in the network. Only a registry without TLS, on this
 * machine, may have such a token service.
 */
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

const tokenIn = (text: string): { readonly token?: string; readonly access_token?: string } => {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
};

/**
 * Answers the challenge of a registry.
 *
 * @param registry - the URL of the registry
 * @param header - the header `WWW-Authenticate` of its response 401
 * @returns a value for the header `Authorization`; undefined when the challenge cannot be answered
 * @throws {ConfigurationError} when the URL of the token service is refused
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
  const { token, access_token = token } = tokenIn((await http.read(response)).toString('utf8'));
  return access_token === undefined ? undefined : `Bearer ${access_token}`;
};
