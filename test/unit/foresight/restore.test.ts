import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { restoreCluster } from '#lib/foresight/cluster/restore.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { NOW, podSetOf } from '#test/unit/support/foresight-cluster.ts';
import { RuntimeClass } from './served/portal.ts';

const now = (): number => NOW;

const configMapOf = (metadata: object): LiveObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
});

describe('restoreCluster()', () => {
  it('keeps what an API server has seen as it is, and makes the namespaces in which it lies', () => {
    const seen = configMapOf({ namespace: 'far', uid: 'u', resourceVersion: '9', managedFields: [] });
    const { server } = restoreCluster({ kinds: [podSet], live: [seen], now });
    expect(server.objects({ group: '', plural: 'configmaps' })[0]?.metadata).toMatchObject({
      uid: 'u',
      resourceVersion: '9',
    });
    expect(server.objects({ group: '', plural: 'namespaces' }).map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'far',
    ]);
  });

  it('sends plain manifests through the server, which completes them', () => {
    const { server } = restoreCluster({ kinds: [podSet], live: [{ ...podSetOf(3), spec: {} }], now });
    const [set] = server.objects({ group: 'app.example.com', plural: 'podsets' });
    expect(set).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 } });
  });

  it('refuses plain manifests in the words of the server', () => {
    expect(() => restoreCluster({ kinds: [podSet], live: [podSetOf(-1)], now })).toThrow(
      /Cannot start from PodSet default\/web: .*should be greater than or equal to 0/,
    );
  });

  it('reports objects that it cannot restore, and fields without a known owner', () => {
    const strange: LiveObject = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'j', uid: 'j', managedFields: [] },
    };
    const { notes } = restoreCluster({ kinds: [podSet], live: [strange, configMapOf({ uid: 'u' })], now });
    expect(notes).toEqual([
      '1 of the live objects has no managedFields, so the owners of their fields are unknown; dump with kubectl get --show-managed-fields',
      'resource.k8s.io/v1 ResourceClaim is not known to the virtual cluster: 1 left out',
    ]);
  });

  it('restoreCluster() leaves out kinds that need what the virtual cluster does not serve, and refuses their resources', () => {
    const text = s.string({ maxLength: 9, description: 'Any.' });
    const keeper = defineKind({
      group: 'demo.example.com',
      version: 'v1',
      kind: 'Keeper',
      spec: s.object({ text }),
      status: s.object({}),
      owns: [RuntimeClass],
      desired: () => ({ children: [], status: {}, state: ready('Kept', '') }),
    });
    const { running, notes } = restoreCluster({ kinds: [podSet, keeper], live: [], now });
    expect(running).toEqual([podSet]);
    const words = 'Keeper owns RuntimeClass (node.k8s.io/v1), which the virtual cluster does not serve';
    expect(notes).toEqual([expect.stringContaining(`left out: ${words}; `)]);
    const about = [{ apiVersion: 'demo.example.com/v1', kind: 'Keeper' }];
    expect(() => restoreCluster({ kinds: [podSet, keeper], live: [], about, now })).toThrow(words);
  });
});
