import { listIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Rule, ruleAllows, rulesOfRole } from './rules.ts';
import { type ClusterUser, type RequestAttributes, serviceAccountName, userGroups } from './user.ts';

/** Whether a request is allowed, and why. */
export interface AccessDecision {
  readonly isAllowed: boolean;
  /** The binding that allows the request, or the bound roles that do not exist, as text; '' without either. */
  readonly reason: string;
}

const group = 'rbac.authorization.k8s.io';
const RESOURCES = {
  roles: { group, plural: 'roles' },
  clusterRoles: { group, plural: 'clusterroles' },
  roleBindings: { group, plural: 'rolebindings' },
  clusterRoleBindings: { group, plural: 'clusterrolebindings' },
} as const;

/** Whether the subject of a binding is the user. A ServiceAccount without a namespace is in the namespace of the RoleBinding. */
const isMeant = (subject: JsonObject, user: ClusterUser, inside: string): boolean => {
  const name = textIn(subject, 'name');
  switch (textIn(subject, 'kind')) {
    case 'User':
      return name === user.name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount': {
      const namespace = textIn(subject, 'namespace') || inside;
      return namespace !== '' && user.name === serviceAccountName(namespace, name);
    }
    default:
      return false;
  }
};

interface Bound {
  readonly binding: ServerObject;
  readonly subject: JsonObject;
}

/** Formats a binding for messages, such as `ClusterRoleBinding "a" of ClusterRole "b" to User "c"`. */
const described = ({ binding, subject }: Bound): string => {
  const { name, namespace } = binding.metadata;
  const reference = objectIn(binding, 'roleRef');
  const place = namespace === undefined ? '' : `/${namespace}`;
  const role = `${textIn(reference, 'kind')} "${textIn(reference, 'name')}"`;
  const kind = textIn(subject, 'kind');
  const home = kind === 'ServiceAccount' ? `/${textIn(subject, 'namespace') || (namespace ?? '')}` : '';
  const binder = namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
  return `${binder} "${name}${place}" of ${role} to ${kind} "${textIn(subject, 'name')}${home}"`;
};

interface GrantedRule {
  readonly rule: Rule;
  readonly bound: Bound;
}

interface Granted {
  readonly rules: readonly GrantedRule[];
  /** The bound roles that do not exist, as text; '' if all of them exist. */
  readonly missing: string;
}

/** @see k8s.io/apimachinery v0.36.4 pkg/util/errors/errors.go (`aggregate.Error`) */
const joined = (errors: readonly string[]): string => {
  const [first = '', ...more] = new Set(errors);
  return more.length === 0 ? first : `[${[first, ...more].join(', ')}]`;
};

/**
 * Authorizes requests by the roles and bindings in the virtual API server (RBAC).
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/rbac/validation/rule.go (`VisitRulesFor`)
 */
export class Authorizer {
  readonly #server: ApiServer;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  decide(user: ClusterUser, wanted: RequestAttributes): AccessDecision {
    if (user.groups.includes(userGroups.masters)) return { isAllowed: true, reason: '' };
    const namespace = 'path' in wanted ? '' : (wanted.namespace ?? '');
    const { rules, missing } = this.granted(user, namespace);
    const found = rules.find(({ rule }) => ruleAllows(rule, wanted));
    if (found) return { isAllowed: true, reason: `RBAC: allowed by ${described(found.bound)}` };
    return { isAllowed: false, reason: missing === '' ? '' : `RBAC: ${missing}` };
  }

  /**
   * Returns the rules of the roles that are bound to a user in a namespace, and the bound roles that do not exist. Without a
   * namespace (''), only ClusterRoleBindings apply.
   */
  granted(user: ClusterUser, namespace: string): Granted {
    const rules: GrantedRule[] = [];
    const missing: string[] = [];
    for (const bound of this.#boundTo(user, namespace)) {
      const role = this.#roleOf(bound.binding);
      if (typeof role === 'string') missing.push(role);
      else for (const rule of rulesOfRole(role)) rules.push({ rule, bound });
    }
    return { rules, missing: joined(missing) };
  }

  *#boundTo(user: ClusterUser, namespace: string): Iterable<Bound> {
    const bindings = [
      ...this.#server.objects(RESOURCES.clusterRoleBindings),
      ...(namespace === '' ? [] : this.#server.objects(RESOURCES.roleBindings, namespace)),
    ];
    for (const binding of bindings) {
      const inside = binding.metadata.namespace ?? '';
      const subject = listIn(binding, 'subjects').find((each) => isMeant(each, user, inside));
      if (subject) yield { binding, subject };
    }
  }

  /** Returns the role of a binding, or an error text when the role does not exist. */
  #roleOf(binding: ServerObject): ServerObject | string {
    const reference = objectIn(binding, 'roleRef');
    const [kind, name] = [textIn(reference, 'kind'), textIn(reference, 'name')];
    const roles =
      kind === 'ClusterRole'
        ? this.#server.objects(RESOURCES.clusterRoles)
        : this.#server.objects(RESOURCES.roles, binding.metadata.namespace ?? '');
    const role = roles.find(({ metadata }) => metadata.name === name);
    return role ?? `${kind.toLowerCase()}.${group} "${name}" not found`;
  }
}
