import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { isPlainObject } from '#lib/kind/json.ts';
import { objectIn, textIn } from '#lib/sim/machinery/members.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { type ClusterUser, serviceAccountUser } from './user.ts';

/** The issuer and the only audience of tokens, as in a cluster of kubeadm. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** Where service accounts are stored. */
export const serviceAccounts = { group: '', version: 'v1', plural: 'serviceaccounts' } as const;

/** A token of a service account, in JWT's form; signed with a secret that only the server knows (HS256). */
export interface TokenRequestOptions {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Epoch seconds. */
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

/** Issues tokens of service accounts, and recognizes them as long as they and their accounts live. */
export class Tokens {
  readonly #server: ApiServer;
  readonly #secret: Buffer;
  readonly #now: () => number;

  /**
   * @param secret - whoever knows it can make tokens
   * @param now - epoch milliseconds
   */
  constructor(server: ApiServer, secret: Buffer, now: () => number) {
    this.#server = server;
    this.#secret = secret;
    this.#now = now;
  }

  /** Makes a token. */
  issue({ namespace, name, uid, expiresAt }: TokenRequestOptions): string {
    const issuedAt = Math.floor(this.#now() / 1000);
    const head = encoded({ alg: 'HS256', typ: 'JWT' });
    const claims = encoded({
      aud: [ISSUER],
      exp: expiresAt,
      iat: issuedAt,
      iss: ISSUER,
      jti: randomUUID(),
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      nbf: issuedAt,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
    return `${head}.${claims}.${this.#signature(`${head}.${claims}`)}`;
  }

  /** Whose token this is; undefined for none, one that has expired, or one whose account is not there any more. */
  userOf(token: string): ClusterUser | undefined {
    const [head = '', payload = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#signature(`${head}.${payload}`));
    const shown = Buffer.from(signature);
    if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) return undefined;
    const claims = claimsIn(payload);
    const expiry = claims?.['exp'];
    if (typeof expiry !== 'number' || expiry * 1000 <= this.#now()) return undefined;
    const bound = objectIn(claims, 'kubernetes.io');
    const { namespace, name, uid } = {
      namespace: textIn(bound, 'namespace'),
      name: textIn(objectIn(bound, 'serviceaccount'), 'name'),
      uid: textIn(objectIn(bound, 'serviceaccount'), 'uid'),
    };
    const account = this.#server.objects(serviceAccounts, namespace).find(({ metadata }) => metadata.name === name);
    return account?.metadata.uid === uid ? serviceAccountUser(namespace, name, uid) : undefined;
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url');
  }
}
