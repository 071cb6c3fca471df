import { describe, expect, it } from 'vitest';
import { InvariantError } from '#lib/errors.ts';
import { type ResourcePathOptions, resourcePath } from '#lib/kube/client/path.ts';

const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
const podSets = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  plural: 'podsets',
  scope: 'Namespaced',
} as const;
const nodes = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' } as const;

describe('resourcePath', () => {
  it.each([
    { reason: 'core, all namespaces', resource: pods, options: {}, path: '/api/v1/pods' },
    { reason: 'core, one namespace', resource: pods, options: { namespace: 'a' }, path: '/api/v1/namespaces/a/pods' },
    {
      reason: 'group, one object, subresource',
      resource: podSets,
      options: { namespace: 'a', name: 'b', subresource: 'status' },
      path: '/apis/app.example.com/v1alpha1/namespaces/a/podsets/b/status',
    },
    { reason: 'cluster-scoped object', resource: nodes, options: { name: 'n' }, path: '/api/v1/nodes/n' },
    {
      reason: 'RBAC-like name',
      resource: nodes,
      options: { name: 'system:a/b' },
      path: '/api/v1/nodes/system%3Aa%2Fb',
    },
  ] satisfies {
    reason: string;
    resource: typeof pods | typeof podSets | typeof nodes;
    options: ResourcePathOptions;
    path: string;
  }[])('resourcePath() gives $path when asked for: $reason', ({ resource, options, path }) => {
    expect(resourcePath(resource, options)).toBe(path);
  });

  it.each([
    { reason: 'dot segments climb', resource: nodes, options: { name: '..' } },
    { reason: 'an empty name means the collection', resource: nodes, options: { name: '' } },
    { reason: 'a namespace with a cluster-scoped kind', resource: nodes, options: { namespace: 'a', name: 'b' } },
    { reason: 'an object without its namespace', resource: pods, options: { name: 'b' } },
  ])('resourcePath() throws when $reason', ({ resource, options }) => {
    expect(() => resourcePath(resource, options)).toThrow(InvariantError);
  });
});
