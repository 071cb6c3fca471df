import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { objectIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { isPlainObject } from '#lib/json.ts';
import { type ClusterUser, serviceAccountGroups, serviceAccountName, userGroups } from './user.ts';

/** The issuer of tokens, which is also the audience of the API server, as in a kubeadm cluster. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** The resource that stores service accounts. */
export const serviceAccounts = { group: '', version: 'v1', plural: 'serviceaccounts' } as const;

/** Tolerated clock skew, in seconds. @see github.com/go-jose/go-jose/v4 jwt/validation.go (`DefaultLeeway`) */
const LEEWAY_S = 60;

/** The contents of a token of a service account. The token is a JWT that is signed with the server's secret (HS256). */
export interface TokenRequestOptions {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The audiences: the servers that may accept the token. */
  readonly audiences: readonly string[];
  /** The end of validity, in epoch seconds. */
  readonly expiresAt: number;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const claimsIn = (payload: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isPlainObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
};

/** Issues tokens of service accounts, and checks them. */
export class Tokens {
  readonly #server: ApiServer;
  readonly #secret: Buffer;
  readonly #now: () => number;

  /**
   * @param secret - the signing key; its holder can forge tokens
   * @param now - returns epoch milliseconds
   */
  constructor(server: ApiServer, secret: Buffer, now: () => number) {
    this.#server = server;
    this.#secret = secret;
    this.#now = now;
  }

  issue({ namespace, name, uid, audiences, expiresAt }: TokenRequestOptions): string {
    const issuedAt = Math.floor(this.#now() / 1000);
    const head = encoded({ alg: 'HS256', typ: 'JWT' });
    const claims = encoded({
      aud: audiences,
      exp: expiresAt,
      iat: issuedAt,
      iss: ISSUER,
      jti: randomUUID(),
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      nbf: issuedAt,
      sub: serviceAccountName(namespace, name),
    });
    return `${head}.${claims}.${this.#signature(`${head}.${claims}`)}`;
  }

  /**
   * Returns the user of a token; undefined when the token is malformed, forged, expired, not yet valid or for another audience,
   * or when its service account was deleted.
   *
   * @see k8s.io/kubernetes v1.36.4 pkg/serviceaccount/claims.go (`Validate`)
   */
  userOf(token: string): ClusterUser | undefined {
    return this.read(token, [ISSUER])?.user;
  }

  /** Returns the user of a token, and the audiences that are also in `wanted`; undefined in the same cases as {@link userOf}. */
  read(
    token: string,
    wanted: readonly string[],
  ): { readonly user: ClusterUser; readonly audiences: readonly string[] } | undefined {
    const [head = '', payload = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#signature(`${head}.${payload}`));
    const shown = Buffer.from(signature);
    if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) return undefined;
    const claims = claimsIn(payload);
    if (claims === undefined || !this.#isCurrent(claims)) return undefined;
    const audiences = textsIn(claims, 'aud').filter((audience) => wanted.includes(audience));
    if (audiences.length === 0) return undefined;
    const bound = objectIn(claims, 'kubernetes.io');
    const namespace = textIn(bound, 'namespace');
    const name = textIn(objectIn(bound, 'serviceaccount'), 'name');
    const uid = textIn(objectIn(bound, 'serviceaccount'), 'uid');
    if (!this.#isThere(namespace, name, uid)) return undefined;
    const groups = [...serviceAccountGroups(namespace), userGroups.authenticated];
    const extra = { 'authentication.kubernetes.io/credential-id': [`JTI=${textIn(claims, 'jti')}`] };
    return { user: { name: serviceAccountName(namespace, name), uid, groups, extra }, audiences };
  }

  #isCurrent({ exp, nbf }: Readonly<Record<string, unknown>>): boolean {
    const now = this.#now() / 1000;
    return typeof exp === 'number' && typeof nbf === 'number' && now <= exp + LEEWAY_S && now >= nbf - LEEWAY_S;
  }

  #isThere(namespace: string, name: string, uid: string): boolean {
    const account = this.#server.objects(serviceAccounts, namespace).find(({ metadata }) => metadata.name === name);
    if (account?.metadata.uid !== uid) return false;
    const { deletionTimestamp } = account.metadata;
    return deletionTimestamp === undefined || Date.parse(deletionTimestamp) >= this.#now() - LEEWAY_S * 1000;
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url');
  }
}
