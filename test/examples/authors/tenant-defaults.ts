import {
  apply,
  extendKind,
  LimitRange,
  Namespace,
  NetworkPolicy,
  ResourceQuota,
  RoleBinding,
  ready,
} from 'cdk8s-reconcile';

/** The label that selects a namespace, and names the group of its users. */
const TEAM = 'acme.io/team';

export const tenantDefaults = extendKind({
  of: Namespace,
  // The function reads metadata only, so the cache keeps no other field of the namespaces.
  fields: [],
  name: 'tenant-defaults',
  group: 'platform.acme.io',
  description: 'Each namespace of a team has a quota, default requests, a network policy, and a binding for the team.',
  where: { labels: { 'acme.io/defaults': 'on' } },
  owns: [ResourceQuota, LimitRange, NetworkPolicy, RoleBinding],
  annotation: true,
  desired({ resource: { metadata } }) {
    const place = { name: 'tenant-defaults', namespace: metadata.name };
    const team = metadata.labels[TEAM];
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: place,
      spec: { hard: { pods: metadata.labels['acme.io/size'] === 'large' ? '100' : '20' } },
    };
    const limits = {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: place,
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '100m', memory: '64Mi' } }] },
    };
    const policy = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: place,
      spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: {} }] }] },
    };
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: place,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `team:${team}` }],
    };
    return {
      children: [apply(quota), apply(limits), apply(policy), ...(team === undefined ? [] : [apply(binding)])],
      state: ready('Configured', 'the namespace has its defaults'),
    };
  },
});
