import { AccessControl } from '#lib/apiserver/access/access.ts';
import { createDefaultRoles } from '#lib/apiserver/access/default-roles.ts';
import type { Impersonation } from '#lib/apiserver/access/impersonation.ts';
import type { ClusterUser, RequestAttributes } from '#lib/apiserver/access/user.ts';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** The result of a function, or code and message of its refusal. */
export const answerOf = <T>(ask: () => T): T | string => {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status.code} ${error.status.message}`;
  }
};

/** A user without groups beyond the default ones. */
export const userOf = (name: string, groups: readonly string[] = []): ClusterUser => ({
  name,
  groups: [...groups, 'system:authenticated'],
});

/** The attributes of a list of pods. */
export const listPods: RequestAttributes = { verb: 'list', group: '', resource: 'pods', namespace: 'default' };

/** An API server with users and service accounts, on a clock that does not advance. */
export class AccessBench {
  /** Epoch milliseconds. */
  clock = Date.parse('2026-01-01T00:00:00Z');
  readonly #secret: Buffer;
  readonly server = createApiServer({ kinds: builtinKinds, now: () => this.clock, namespaces: ['default', 'other'] });
  readonly access: AccessControl;

  constructor(secret = 'secret') {
    this.#secret = Buffer.from(secret);
    const { server } = this;
    this.access = new AccessControl({ server, now: () => this.clock, adminToken: 'admin-token', secret: this.#secret });
    createDefaultRoles(server);
  }

  create(plural: string, body: object, { group = GROUP, namespace = '' } = {}): void {
    const resource = { group, version: 'v1', plural };
    const { code, body: answer } = this.server.handle({ verb: 'create', resource, namespace, body });
    if (code !== 201) throw new Error(String(answer['message']));
  }

  account(name: string, more: object = {}): void {
    this.create('serviceaccounts', { metadata: { name, ...more } }, { group: '', namespace: 'default' });
  }

  removeAccount(name: string): void {
    const resource = { group: '', version: 'v1', plural: 'serviceaccounts' };
    this.server.handle({ verb: 'delete', resource, namespace: 'default', name });
  }

  /** Grants rights in the cluster, or in a namespace. */
  grant(name: string, to: object, rules: readonly object[], namespace = ''): void {
    const metadata = { name };
    const kind = namespace === '' ? 'ClusterRole' : 'Role';
    const subjects = [to];
    this.create(namespace === '' ? 'clusterroles' : 'roles', { metadata, rules }, { namespace });
    const binding = { metadata, subjects, roleRef: { apiGroup: GROUP, kind, name } };
    this.create(namespace === '' ? 'clusterrolebindings' : 'rolebindings', binding, { namespace });
  }

  may(user: ClusterUser, wanted: RequestAttributes): boolean {
    return answerOf(() => this.access.authorize(user, wanted)) === undefined;
  }

  as(user: ClusterUser, wanted: Partial<Impersonation>, attributes = listPods): ClusterUser | string {
    const complete = { name: undefined, groups: [], uid: undefined, extra: {}, ...wanted };
    return answerOf(() => this.access.impersonate(user, complete, attributes));
  }

  /** The answer to a review, or to a token request. */
  review(user: ClusterUser, plural: string, spec: object): unknown {
    const group = plural === 'selfsubjectreviews' ? 'authentication.k8s.io' : 'authorization.k8s.io';
    const resource = { group, version: 'v1', plural };
    return answerOf(() => this.access.answer(user, { verb: 'create', resource, body: { spec } })?.body);
  }

  token(name: string, spec: object = {}): string {
    const resource = { group: '', version: 'v1', plural: 'serviceaccounts' };
    const at = { namespace: 'default', name, subresource: 'token' };
    const ask = () => this.access.answer(userOf('admin'), { verb: 'create', resource, ...at, body: { spec } })?.body;
    const answer = answerOf(ask);
    if (typeof answer === 'string') return answer;
    return textIn(objectIn(answer, 'status'), 'token');
  }

  /** The user of an authorization header: name and groups, or the refusal. */
  userOfHeader(authorization: string | undefined): string {
    const user = answerOf(() => this.access.authenticate(authorization));
    return typeof user === 'string' ? user : `${user.name} [${user.groups.join(' ')}]`;
  }
}
