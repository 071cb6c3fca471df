import { timingSafeEqual } from 'node:crypto';
import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { Authorizer } from './authorizer.ts';
import { forbiddenTo, unauthorized } from './forbidden.ts';
import { type Impersonation, impersonated } from './impersonation.ts';
import { answerReview, type ReviewContext } from './reviews.ts';
import { Tokens } from './tokens.ts';
import { type Attributes, anonymous, type ClusterUser, userGroups } from './user.ts';

/** What {@link Access} is made of. */
export interface AccessOptions {
  readonly server: ApiServer;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The token of the administrator, who may do anything. */
  readonly adminToken: string;
  /** What tokens of service accounts are signed with. */
  readonly secret: Buffer;
}

const admin: ClusterUser = { name: 'admin', groups: [userGroups.masters, userGroups.authenticated] };

const isSame = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** Who somebody is, and what they may do: bearer tokens and RBAC. */
export class Access {
  readonly #adminToken: string;
  readonly #context: ReviewContext;

  constructor({ server, now, adminToken, secret }: AccessOptions) {
    this.#adminToken = adminToken;
    const tokens = new Tokens(server, secret, now);
    this.#context = { server, authorizer: new Authorizer(server), tokens, now };
  }

  /**
   * Who sends a request.
   *
   * @param authorization - the header; without it, nobody in particular
   * @throws {StatusError} 401 for a token that is not valid
   */
  authenticate(authorization: string | undefined): ClusterUser {
    // Other schemes are nobody's business here, as in the real server: k8s.io/apiserver v0.36.4 pkg/authentication/request/bearertoken.
    const [scheme = '', token = ''] = (authorization ?? '').trim().split(' ');
    if (scheme.toLowerCase() !== 'bearer' || token === '') return anonymous;
    if (isSame(token, this.#adminToken)) return admin;
    const user = this.#context.tokens.userOf(token);
    if (user === undefined) throw unauthorized();
    return user;
  }

  /**
   * As whom a request is to be carried out.
   *
   * @param wanted - what the headers of impersonation say; when they say nothing, nobody else than the user
   * @param attributes - what is asked for
   * @throws {StatusError} 403 when the user may not be somebody else, 400 for groups of nobody
   */
  impersonate(user: ClusterUser, wanted: Impersonation, attributes: Attributes): ClusterUser {
    const authorize = (right: Attributes, denial?: string): void => {
      if (denial !== undefined) throw forbiddenTo(user, right, denial);
      this.authorize(user, right);
    };
    return impersonated(wanted, { attributes, authorize }) ?? user;
  }

  /** @throws {StatusError} 403 */
  authorize(user: ClusterUser, wanted: Attributes): void {
    const { isAllowed, reason } = this.#context.authorizer.decide(user, wanted);
    if (!isAllowed) throw forbiddenTo(user, wanted, reason);
  }

  /** Answers what stores nothing: reviews, and requests for tokens. @returns undefined for anything else */
  answer(user: ClusterUser, request: ServerRequest): ServerResponse | undefined {
    return answerReview(this.#context, user, request);
  }
}
