import { describe, expect, it } from 'vitest';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { createCluster } from './cluster.ts';

const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'disk' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
};

/** A cluster with a volume. */
const withVolume = () => {
  const cluster = createCluster({ kinds: builtinKinds });
  const resource = resources.persistentVolumes;
  cluster.send({ verb: 'create', resource, namespace: '', body: volume } as never);
  const remove = () => {
    cluster.send({ verb: 'delete', resource, namespace: '', name: 'disk' } as never);
    cluster.calm();
    return cluster.objects('persistentvolumes').map(({ metadata }) => metadata.finalizers);
  };
  return { cluster, resource, remove };
};

describe('volumeProtectionController()', () => {
  it('volumeProtectionController() lets a volume without a claim be deleted', () => {
    expect(withVolume().remove()).toEqual([]);
  });

  it('volumeProtectionController() keeps a deleted volume that is bound to a claim', () => {
    const { cluster, resource, remove } = withVolume();
    const [stored] = cluster.objects('persistentvolumes');
    const body = { ...stored, status: { phase: 'Bound' } };
    cluster.send({ verb: 'update', resource, subresource: 'status', namespace: '', name: 'disk', body } as never);
    expect(remove()).toEqual([['kubernetes.io/pv-protection']]);
  });
});
