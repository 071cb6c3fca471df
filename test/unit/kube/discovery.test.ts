import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { discovery } from '#lib/kube/client/discovery.ts';

const pods = [
  { name: 'pods/status', kind: 'Pod', namespaced: true },
  { name: 'pods', kind: 'Pod', namespaced: true },
];
const nodes = { name: 'nodes', kind: 'Node', namespaced: false };

const refusing = (httpStatus: number) =>
  discovery(async () => {
    throw new ApiError('get', { httpStatus, reason: 'r', message: 'm' });
  });

describe('discovery()', () => {
  it('resourceOf() asks once for each version of a group, and again when a kind is not known', async () => {
    const asked: string[] = [];
    let resources: readonly object[] = pods;
    const { resourceOf } = discovery(async (path) => {
      asked.push(path);
      return { resources };
    });
    const pod = { apiVersion: 'v1', kind: 'Pod' };
    const node = { apiVersion: 'v1', kind: 'Node' };
    expect(await resourceOf(pod)).toEqual({ ...pod, plural: 'pods', scope: 'Namespaced' });
    expect(await resourceOf(pod)).toBeDefined();
    expect(asked).toEqual(['/api/v1']);
    expect(await resourceOf(node)).toBeUndefined();
    resources = [...pods, nodes];
    expect(await resourceOf(node)).toEqual({ ...node, plural: 'nodes', scope: 'Cluster' });
    await resourceOf({ ...pod, apiVersion: 'web.acme.io/v1' });
    expect(asked).toEqual(['/api/v1', '/api/v1', '/api/v1', '/apis/web.acme.io/v1']);
  });

  it('resourceOf() returns undefined for resources that are not served, and rejects when discovery fails', async () => {
    const kind = { apiVersion: 'web.acme.io/v1', kind: 'Website' };
    expect(await refusing(404).resourceOf(kind)).toBeUndefined();
    await expect(refusing(403).resourceOf(kind)).rejects.toMatchObject({ httpStatus: 403 });
  });
});
