import { describe, expect, it } from 'vitest';
import { askedBy, isMutating } from '#test/fault-proxy/call.ts';

const described = (method: string, target: string, contentType?: string): string => {
  const { verb, group, resource, namespace, name } = askedBy(method, target, contentType);
  return [verb, group || 'core', resource, namespace || '-', name || '-'].join(' ');
};

describe('askedBy()', () => {
  it.each([
    ['GET', '/api/v1/pods?limit=500', 'list core pods - -'],
    ['GET', '/api/v1/pods?watch=true', 'watch core pods - -'],
    ['GET', '/api/v1/namespaces/a/pods/p', 'get core pods a p'],
    ['POST', '/api/v1/namespaces/a/pods?fieldManager=x', 'create core pods a -'],
    ['DELETE', '/api/v1/namespaces/a/pods/p', 'delete core pods a p'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection core pods a -'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/a/leases/l', 'update coordination.k8s.io leases a l'],
    ['GET', '/api/v1/namespaces/a', 'get core namespaces - a'],
    [
      'GET',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/c',
      'get apiextensions.k8s.io customresourcedefinitions - c',
    ],
    ['GET', '/version', 'other core /version - -'],
  ])('reads %s %s as "%s"', (method, target, expected) => {
    expect(described(method, target)).toBe(expected);
  });

  it('distinguishes an apply from another patch by the type of the body', () => {
    const path = '/apis/app.example.com/v1/namespaces/a/podsets/web/status';
    expect(described('PATCH', path, 'application/apply-patch+yaml')).toBe('apply app.example.com podsets/status a web');
    expect(described('PATCH', path, 'application/merge-patch+json')).toBe('patch app.example.com podsets/status a web');
  });
});

describe('isMutating()', () => {
  it('is true for writes only', () => {
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'apply', 'delete', 'deletecollection', 'other'];
    const writes = ['create', 'update', 'patch', 'apply', 'delete', 'deletecollection'];
    expect(verbs.filter((verb) => isMutating({ verb } as Parameters<typeof isMutating>[0]))).toEqual(writes);
  });
});
