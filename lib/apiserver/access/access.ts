import { timingSafeEqual } from 'node:crypto';
import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { Authorizer } from './authorizer.ts';
import { forbiddenTo, unauthorized } from './forbidden.ts';
import { type Impersonation, impersonated } from './impersonation.ts';
import { answerAccessReview, type ReviewContext } from './reviews.ts';
import { Tokens } from './tokens.ts';
import { anonymous, type ClusterUser, type RequestAttributes, userGroups } from './user.ts';

/** Options of {@link AccessControl}. */
export interface AccessOptions {
  readonly server: ApiServer;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
  /** The administrator's token, which permits all requests. */
  readonly adminToken: string;
  /** The key that signs tokens of service accounts. */
  readonly secret: Buffer;
}

const admin: ClusterUser = { name: 'admin', groups: [userGroups.masters, userGroups.authenticated] };

const isSame = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** Authenticates requests by bearer token, and authorizes requests by RBAC. */
export class AccessControl {
  readonly #adminToken: string;
  readonly #context: ReviewContext;

  constructor({ server, now, adminToken, secret }: AccessOptions) {
    this.#adminToken = adminToken;
    const tokens = new Tokens(server, secret, now);
    this.#context = { server, authorizer: new Authorizer(server), tokens, now };
  }

  /**
   * Returns the sender of a request.
   *
   * @param authorization - the header of this name; without a bearer token in it, the sender is anonymous
   * @throws {StatusError} 401 for an invalid token
   */
  authenticate(authorization: string | undefined): ClusterUser {
    // Other schemes are ignored, as in the real server: k8s.io/apiserver v0.36.4 pkg/authentication/request/bearertoken.
    const [scheme = '', token = ''] = (authorization ?? '').trim().split(' ');
    if (scheme.toLowerCase() !== 'bearer' || token === '') return anonymous;
    if (isSame(token, this.#adminToken)) return admin;
    const user = this.#context.tokens.userOf(token);
    if (user === undefined) throw unauthorized();
    return user;
  }

  /**
   * Returns the user that a request runs as.
   *
   * @param wanted - the impersonation headers; without them, the result is the sender
   * @param attributes - the RBAC attributes of the request
   * @throws {StatusError} 403 when the sender may not impersonate, 400 for headers without a user name
   */
  impersonate(user: ClusterUser, wanted: Impersonation, attributes: RequestAttributes): ClusterUser {
    const authorize = (right: RequestAttributes, denial?: string): void => {
      if (denial !== undefined) throw forbiddenTo(user, right, denial);
      this.authorize(user, right);
    };
    return impersonated(wanted, { attributes, authorize }) ?? user;
  }

  /** Checks that a user may make a request. @throws {StatusError} 403 */
  authorize(user: ClusterUser, wanted: RequestAttributes): void {
    const { isAllowed, reason } = this.#context.authorizer.decide(user, wanted);
    if (!isAllowed) throw forbiddenTo(user, wanted, reason);
  }

  /**
   * Handles reviews and token requests, which store nothing.
   *
   * @returns undefined for any other request
   * @throws {StatusError} when the request is invalid, or its service account does not exist
   */
  answer(user: ClusterUser, request: ServerRequest): ServerResponse | undefined {
    return answerAccessReview(this.#context, user, request);
  }
}
