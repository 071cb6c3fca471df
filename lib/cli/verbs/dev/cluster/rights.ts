import { EVENTS_OF_CLUSTER, type PolicyRule } from '#lib/desired/rights/policy-rules.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import type { ProjectRules } from '../project.ts';

/** The name of the namespace, the service account and the roles of the operator. */
export const DEV = 'cdk8s-reconcile-dev';

/**
 * The label of the namespaces, service accounts, roles and bindings that `dev` creates. The value of the label is {@link DEV}.
 */
export const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** An object and its resource. */
export interface Placed {
  readonly resource: ApiResource;
  readonly name: string;
  readonly namespace?: string;
  readonly object: object;
}

const RBAC = 'rbac.authorization.k8s.io/v1';

const resourceOf = (apiVersion: string, kind: string, scope: ApiResource['scope']): ApiResource => ({
  apiVersion,
  kind,
  plural: `${kind.toLowerCase()}s`,
  scope,
});

const NAMESPACE = resourceOf('v1', 'Namespace', 'Cluster');
const SERVICE_ACCOUNT = resourceOf('v1', 'ServiceAccount', 'Namespaced');

/** The resources that grant rights in one namespace. */
export const NAMESPACED_ROLES: readonly ApiResource[] = [
  resourceOf(RBAC, 'Role', 'Namespaced'),
  resourceOf(RBAC, 'RoleBinding', 'Namespaced'),
];

const placed = (
  resource: ApiResource,
  of: { readonly name: string; readonly namespace?: string },
  content: object = {},
): Placed => {
  const { apiVersion, kind } = resource;
  const labels = { [MANAGED_BY]: DEV };
  return { resource, ...of, object: { apiVersion, kind, metadata: { ...of, labels }, ...content } };
};

const SUBJECTS = [{ kind: 'ServiceAccount', name: DEV, namespace: DEV }];

/** A role and its binding. Both are created even without rules, to replace the role and the binding of an earlier run. */
const granted = (rules: readonly PolicyRule[], namespace?: string): readonly Placed[] => {
  const [prefix, scope] = namespace === undefined ? (['Cluster', 'Cluster'] as const) : (['', 'Namespaced'] as const);
  const of = { name: DEV, ...(namespace !== undefined && { namespace }) };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: `${prefix}Role`, name: DEV };
  return [
    placed(resourceOf(RBAC, `${prefix}Role`, scope), of, { rules }),
    placed(resourceOf(RBAC, `${prefix}RoleBinding`, scope), of, { roleRef, subjects: SUBJECTS }),
  ];
};

/** A namespace with this name. */
export const namespaceCalled = (name: string): Placed => placed(NAMESPACE, { name });

/** The service account of the operator. */
export const serviceAccount = (): Placed => placed(SERVICE_ACCOUNT, { name: DEV, namespace: DEV });

/**
 * The roles of the operator and their bindings, with exactly the rights that the loop needs for the kinds.
 *
 * @param namespaces - the namespaces of the operator; empty for all namespaces
 */
export const rolesFor = (rules: ProjectRules, namespaces: readonly string[]): readonly Placed[] => {
  const inside = new Map<string, readonly PolicyRule[]>(namespaces.map((name) => [name, rules.inNamespaces]));
  const more = [[EVENTS_OF_CLUSTER, rules.ofEvents] as const, ...Object.entries(rules.elsewhere)];
  for (const [name, added] of more) if (added.length > 0) inside.set(name, [...(inside.get(name) ?? []), ...added]);
  return [...granted(rules.everywhere), ...[...inside].flatMap(([name, wanted]) => granted(wanted, name))];
};
