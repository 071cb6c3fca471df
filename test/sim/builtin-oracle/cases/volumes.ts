import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const volume = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'v', ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' }, ...spec },
});

const caseOf = (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `persistentvolume: ${name}`,
  kind: 'PersistentVolume',
  object,
  changes,
});

const of = (source: JsonObject, more: JsonObject = {}): JsonObject =>
  volume({ hostPath: undefined, ...source, ...more });

const spec = (merge: JsonObject): Change => ({ merge: { spec: merge } });
const nodes = (...terms: readonly JsonObject[]): JsonObject => ({ required: { nodeSelectorTerms: terms } });
const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
const secret = { name: 's', namespace: 'n' };

/** PersistentVolumes: sources, capacity, classes and changes. */
export const volumeCases: readonly Case[] = [
  caseOf('the smallest one', volume()),
  caseOf('no spec', { metadata: { name: 'v' } }),
  caseOf('nothing in the spec', { metadata: { name: 'v' }, spec: {} }),
  caseOf('its own finalizer is given', volume({}, { finalizers: ['kubernetes.io/pv-protection'] })),
  caseOf(
    'a wrong name and wrong values',
    volume(
      {
        accessModes: ['ReadWriteOncePod', 'ReadOnlyMany', 'Other'],
        capacity: { storage: '0', cpu: '1' },
        persistentVolumeReclaimPolicy: 'Keep',
        volumeMode: 'Tape',
        storageClassName: 'A_',
      },
      { name: 'V_' },
    ),
  ),
  caseOf('a negative capacity', volume({ capacity: { storage: '-1' } })),
  caseOf('a recycled root', volume({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' })),
  caseOf('two sources', volume({ nfs: { server: 's', path: '/p' } })),
  caseOf('a wrong path of the node', volume({ hostPath: { path: '/a/../b', type: 'Other' } })),
  caseOf('nfs', of({ nfs: { server: 's', path: '/p', readOnly: true } }, { mountOptions: ['ro'] })),
  caseOf('a wrong nfs', of({ nfs: { server: '', path: 'p' } })),
  caseOf('local', of({ local: { path: '/d', fsType: 'ext4' } }, { nodeAffinity: nodes(zone) }), [
    spec({ nodeAffinity: nodes({ matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] }) }),
    spec({ local: { path: '/e' } }),
  ]),
  caseOf('local without a node', of({ local: { path: '/a/../b' } })),
  caseOf('wrong nodes', volume({ nodeAffinity: nodes() }), []),
  caseOf('no required nodes', volume({ nodeAffinity: {} }), []),
  caseOf(
    'a wrong term of nodes',
    volume({
      nodeAffinity: nodes({ matchExpressions: [{ key: 'a b', operator: 'Like', values: ['x'] }] }),
    }),
  ),
  caseOf(
    'csi',
    of(
      { csi: { driver: 'Example.com', volumeHandle: 'h', nodePublishSecretRef: secret, volumeAttributes: { a: 'b' } } },
      { storageClassName: 'fast', volumeAttributesClassName: 'gold', claimRef: { namespace: 'n', name: 'c' } },
    ),
    [
      spec({ csi: { controllerExpandSecretRef: secret } }),
      spec({ csi: { controllerExpandSecretRef: { name: 'other' } } }),
      spec({ capacity: { storage: '2Gi' } }),
      spec({ volumeMode: 'Block' }),
      spec({ volumeAttributesClassName: 'silver' }),
      spec({ volumeAttributesClassName: null }),
    ],
  ),
  caseOf(
    'a wrong csi',
    of({
      csi: {
        driver: 'a_b',
        volumeHandle: '',
        nodePublishSecretRef: {},
        controllerPublishSecretRef: { name: 'A_', namespace: 'a.b' },
      },
    }),
  ),
  caseOf('a csi without a driver', of({ csi: { driver: '', volumeHandle: 'h' } })),
  caseOf('a csi with a long driver', of({ csi: { driver: 'a'.repeat(64), volumeHandle: 'h' } })),
  caseOf('a class of attributes without csi', volume({ volumeAttributesClassName: '' })),
  caseOf(
    'mount options by annotation',
    volume({}, { annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } }),
  ),
  caseOf('a status', { ...volume(), status: { phase: 'Bound' } }, [
    { subresource: 'status', merge: { status: { phase: 'Available' } } },
  ]),
];
