import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { JsonObject } from '#lib/json.ts';
import { userGroups } from './user.ts';

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;

const HEALTH = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY = ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*', '/readyz'];

const ROLES: Readonly<Record<string, readonly JsonObject[]>> = {
  'cluster-admin': [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ],
  'system:basic-user': [
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      verbs: ['create'],
    },
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ],
  'system:discovery': [{ nonResourceURLs: [...DISCOVERY, '/version', '/version/'], verbs: ['get'] }],
  'system:public-info-viewer': [{ nonResourceURLs: HEALTH, verbs: ['get'] }],
};

const BOUND_TO: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': [userGroups.masters],
  'system:basic-user': [userGroups.authenticated],
  'system:discovery': [userGroups.authenticated],
  'system:public-info-viewer': [userGroups.authenticated, userGroups.unauthenticated],
};

const metadataOf = (name: string): JsonObject => ({ name, labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } });

/**
 * Creates the default roles `cluster-admin`, `system:basic-user`, `system:discovery` and `system:public-info-viewer`, and their
 * bindings. Roles and bindings that already exist stay unchanged.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go
 */
export const createDefaultRoles = (server: ApiServer): void => {
  const create = (plural: string, body: JsonObject): void => {
    const resource = { group, version: 'v1', plural };
    server.handle({ verb: 'create', resource, body, options: { fieldManager: 'kube-apiserver' } });
  };
  for (const [name, rules] of Object.entries(ROLES)) {
    const subjects = (BOUND_TO[name] ?? []).map((to) => ({ kind: 'Group', apiGroup: group, name: to }));
    const roleRef = { apiGroup: group, kind: 'ClusterRole', name };
    create('clusterroles', { apiVersion, kind: 'ClusterRole', metadata: metadataOf(name), rules });
    create('clusterrolebindings', {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: metadataOf(name),
      subjects,
      roleRef,
    });
  }
};
