import { readFile } from 'node:fs/promises';
import { asText, isRecord } from '#lib/kube/interface/json.ts';
import type { TlsMaterial } from './authentication.ts';
import type { KubeconfigContext } from './kubeconfig-file.ts';

/** The credentials of a context at one moment. */
export interface ResolvedUser {
  /** The value of the `authorization` header, if there is one. */
  readonly authorization: string | undefined;
  readonly tls: TlsMaterial;
}

/** Resolves the credentials of a user at each call. */
export interface UserResolver {
  /** @throws Error with any cause; see {@link credentialComplaintOf} before showing it */
  resolve(): Promise<ResolvedUser>;
  /** Drops the cached response of a credential plugin, so that the next `resolve()` runs the plugin again. */
  forget(): void;
}

/** The maximum length of a reason in a message, in characters. */
const SHOWN_COMPLAINT_LENGTH = 300;

/**
 * Whether the credentials come from a credential plugin or an identity provider.
 *
 * @param user - the user's entry in a kubeconfig
 */
export const needsPlugin = (user: Readonly<Record<string, unknown>>): boolean =>
  isRecord(user['exec']) || isRecord(user['auth-provider']);

type Entry = Readonly<Record<string, unknown>>;

/**
 * The PEM text of a member, from inline data in base64 or from a file. A file beside inline data was removed when the kubeconfig
 * was read.
 */
const pemOf = async (entry: Entry, member: string): Promise<Buffer | undefined> => {
  const path = asText(entry[member]);
  if (path !== undefined) return readFile(path);
  const data = asText(entry[`${member}-data`]);
  return data === undefined ? undefined : Buffer.from(data, 'base64');
};

const tlsOf = async ({ cluster, user }: KubeconfigContext): Promise<TlsMaterial> => {
  const [ca, cert, key] = await Promise.all([
    pemOf(cluster, 'certificate-authority'),
    pemOf(user, 'client-certificate'),
    pemOf(user, 'client-key'),
  ]);
  const servername = asText(cluster['tls-server-name']);
  return {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(servername !== undefined && { servername }),
    ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
  };
};

/** The text of a scalar. YAML reads a password of digits as a number. */
const scalarText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/**
 * The `authorization` header. A token has precedence over user name and password, as in client-go's transport/round_trippers.go.
 */
const authorizationOf = (user: Entry): string | undefined => {
  const token = asText(user['token']);
  if (token !== undefined) return `Bearer ${token}`;
  const name = scalarText(user['username']);
  return name === '' ? undefined : `Basic ${Buffer.from(`${name}:${scalarText(user['password'])}`).toString('base64')}`;
};

/**
 * Credentials in the kubeconfig or in files that it names: client certificates, tokens, basic auth. Files are read again at
 * every `resolve()`.
 */
export const staticUser = (context: KubeconfigContext): UserResolver => ({
  resolve: async () => ({ authorization: authorizationOf(context.user), tls: await tlsOf(context) }),
  forget: () => {},
});

/**
 * Returns the reason why credentials are not available, in one line. The message of a parse error is left out, because it quotes
 * the input, which may be a token.
 */
export const credentialComplaintOf = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'the credential plugin printed something that is not JSON';
  const text = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
  return text.slice(0, SHOWN_COMPLAINT_LENGTH) || 'the credential plugin failed without a message';
};
