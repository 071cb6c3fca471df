import { describe, expect, it } from 'vitest';
import { type ResourceRoute, routeOf } from '#lib/apiserver/http/request/route.ts';

const pods = { group: '', version: 'v1', plural: 'pods' };
const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
const deployments = { group: 'apps', version: 'v1', plural: 'deployments' };

describe('routeOf()', () => {
  it.each<[string, ResourceRoute]>([
    ['/api/v1/pods', { resource: pods }],
    ['/api/v1/namespaces/n/pods', { resource: pods, namespace: 'n' }],
    ['/api/v1/namespaces/n/pods/p', { resource: pods, namespace: 'n', name: 'p' }],
    ['/api/v1/namespaces/n/pods/p/log', { resource: pods, namespace: 'n', name: 'p', subresource: 'log' }],
    ['/api/v1/namespaces', { resource: namespaces }],
    ['/api/v1/namespaces/n', { resource: namespaces, name: 'n' }],
    ['/api/v1/namespaces/n/finalize', { resource: namespaces, name: 'n', subresource: 'finalize' }],
    ['/apis/apps/v1/deployments', { resource: deployments }],
    ['//apis/apps/v1/namespaces/n/deployments/a%3Ab/', { resource: deployments, namespace: 'n', name: 'a:b' }],
    // Answers of kube-apiserver 1.36.4.
    ['/api/v1/namespaces/n%2Fpods', { resource: pods, namespace: 'n' }],
    ['/api/v1/namespaces/n/pods%2F', { resource: pods, namespace: 'n' }],
    ['/api/v1/namespaces/n/pods/a%2Fb', { resource: pods, namespace: 'n', name: 'a', subresource: 'b' }],
    ['/api%2Fv1%2Fnamespaces', { resource: namespaces }],
  ])('routeOf() returns the place of the resource when the path is %s', (path, resource) => {
    expect(routeOf(path).resource).toStrictEqual(resource);
  });

  it.each([
    ['/', ['']],
    ['/healthz', ['healthz']],
    ['/api/v1', ['api', 'v1']],
    ['/apis/apps/v1/', ['apis', 'apps', 'v1']],
    ['/other/apps/v1/deployments', ['other', 'apps', 'v1', 'deployments']],
    ['/api/v1//pods', ['api', 'v1', '', 'pods']],
  ])('routeOf() returns no resource when the path is %s', (path, segments) => {
    expect(routeOf(path)).toStrictEqual({ segments });
  });
});
