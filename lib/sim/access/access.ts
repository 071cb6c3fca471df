import { timingSafeEqual } from 'node:crypto';
import type { ServerRequest, ServerResponse } from '#lib/sim/machinery/request.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { badRequest, notImplemented, type StatusError } from '#lib/sim/machinery/status.ts';
import { Authorizer } from './authorizer.ts';
import { forbiddenTo, unauthorized } from './forbidden.ts';
import { answerReview, type ReviewContext } from './reviews.ts';
import { Tokens } from './tokens.ts';
import { type Attributes, anonymous, type ClusterUser, serviceAccountUser, userGroups } from './user.ts';

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

/** As whom a request is to be carried out, by its headers. */
export interface Impersonation {
  readonly name: string | undefined;
  readonly groups: readonly string[];
  /** The headers that ask for a uid or extras, which nobody has here. */
  readonly others: readonly string[];
}

/** In the words of the API server, which prints what it has read. */
const nobodyToBe = (groups: readonly string[]): StatusError => {
  const list = groups.map((group) => JSON.stringify(group)).join(', ');
  const wanted = `&user.DefaultInfo{Name:"", UID:"", Groups:[]string{${list}}, Extra:map[string][]string(nil)}`;
  return badRequest(`requested ${wanted} without impersonating a user name`);
};

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
    if (authorization === undefined || authorization.trim() === '') return anonymous;
    const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
    if (token === undefined) throw unauthorized();
    if (isSame(token, this.#adminToken)) return admin;
    const user = this.#context.tokens.userOf(token);
    if (user === undefined) throw unauthorized();
    return user;
  }

  /**
   * As whom a request is to be carried out.
   *
   * @param wanted - what the headers of impersonation say; when they say nothing, nobody else than the user
   * @see k8s.io/apiserver v0.36.4 pkg/endpoints/filters/impersonation/constrained_impersonation.go (`processImpersonationHeaders`)
   * @throws {StatusError} 403 when the user may not be somebody else, 400 for groups of nobody, 501 for uids and extras
   */
  impersonate(user: ClusterUser, wanted: Impersonation): ClusterUser {
    const { name = '', groups, others } = wanted;
    const [other] = others;
    if (other !== undefined) throw notImplemented(`impersonation by the header ${other}`);
    if (name === '' && groups.length > 0) throw nobodyToBe(groups);
    if (name === '') return user;
    const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? [];
    const isAccount = namespace !== undefined && account !== undefined;
    const as = isAccount ? { resource: 'serviceaccounts', namespace, name: account } : { resource: 'users', name };
    this.authorize(user, { verb: 'impersonate', group: '', ...as });
    for (const group of groups) {
      this.authorize(user, { verb: 'impersonate', group: '', resource: 'groups', name: group });
    }
    if (name === anonymous.name) return anonymous;
    if (isAccount && groups.length === 0) return { ...serviceAccountUser(namespace, account, ''), name };
    return { name, groups: [...new Set([...groups, userGroups.authenticated])] };
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
