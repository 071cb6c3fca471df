import { listIn, objectIn, textIn } from '#lib/sim/machinery/members.ts';
import type { ServerObject } from '#lib/sim/machinery/object.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { type Rule, ruleAllows, rulesOf } from './rules.ts';
import { type Attributes, type ClusterUser, userGroups } from './user.ts';

/** Whether a request may be carried out, and what kept the authorizer from finding out. */
export interface Decision {
  readonly isAllowed: boolean;
  /** `RBAC: role.rbac.authorization.k8s.io "x" not found`; '' without any. */
  readonly reason: string;
}

const group = 'rbac.authorization.k8s.io';
const RESOURCES = {
  roles: { group, plural: 'roles' },
  clusterRoles: { group, plural: 'clusterroles' },
  roleBindings: { group, plural: 'rolebindings' },
  clusterRoleBindings: { group, plural: 'clusterrolebindings' },
} as const;

const isMeant = (subject: Readonly<Record<string, unknown>>, user: ClusterUser): boolean => {
  const name = textIn(subject, 'name');
  switch (textIn(subject, 'kind')) {
    case 'User':
      return name === user.name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount':
      return (
        textIn(subject, 'namespace') !== '' &&
        user.name === `system:serviceaccount:${textIn(subject, 'namespace')}:${name}`
      );
    default:
      return false;
  }
};

/** What is bound to a user somewhere, and which roles of it there are not. */
interface Granted {
  readonly rules: readonly Rule[];
  readonly missing: readonly string[];
}

/**
 * Role-based access control over what the virtual API server has stored.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/rbac/validation/rule.go (`VisitRulesFor`)
 */
export class Authorizer {
  readonly #server: ApiServer;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  /** Whether a user may do something. */
  decide(user: ClusterUser, wanted: Attributes): Decision {
    if (user.groups.includes(userGroups.masters)) return { isAllowed: true, reason: '' };
    const namespace = 'path' in wanted ? '' : (wanted.namespace ?? '');
    const { rules, missing } = this.granted(user, namespace);
    if (rules.some((rule) => ruleAllows(rule, wanted))) return { isAllowed: true, reason: '' };
    const [only] = missing;
    if (only === undefined) return { isAllowed: false, reason: '' };
    return { isAllowed: false, reason: `RBAC: ${missing.length === 1 ? only : `[${missing.join(', ')}]`}` };
  }

  /** All rules that hold for a user, in a namespace ('' for none). */
  granted(user: ClusterUser, namespace: string): Granted {
    const bindings = [
      ...this.#server.objects(RESOURCES.clusterRoleBindings),
      ...(namespace === '' ? [] : this.#server.objects(RESOURCES.roleBindings, namespace)),
    ];
    const bound = bindings.filter((binding) => listIn(binding, 'subjects').some((subject) => isMeant(subject, user)));
    const found = bound.map((binding) => this.#roleOf(binding));
    return {
      rules: found.flatMap((role) => (typeof role === 'string' ? [] : rulesOf(role))),
      missing: found.filter((role) => typeof role === 'string'),
    };
  }

  /** The role that a binding names, or words about there being none. */
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
