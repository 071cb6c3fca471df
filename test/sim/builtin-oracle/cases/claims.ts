import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const claim = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'data', ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

const caseOf = (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `persistentvolumeclaim: ${name}`,
  kind: 'PersistentVolumeClaim',
  object,
  changes,
});

const spec = (merge: JsonObject): Change => ({ merge: { spec: merge } });
const status = (merge: JsonObject): Change => ({ subresource: 'status', merge: { status: merge } });
const bound = status({ phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] });
const size = (storage: string): Change => spec({ resources: { requests: { storage } } });

const CLASS = 'volume.beta.kubernetes.io/storage-class';

/** Claims: data sources, and what may change before and after they are bound. */
export const claimCases: readonly Case[] = [
  caseOf('the smallest one', claim()),
  caseOf('a status at creation is dropped', { ...claim(), status: { phase: 'Bound' } }),
  caseOf('its own finalizer comes last', claim({}, { finalizers: ['example.com/x'] })),
  caseOf('its own finalizer is given', claim({}, { finalizers: ['kubernetes.io/pvc-protection'] })),
  caseOf('nothing is given', { metadata: { name: 'data' }, spec: {} }),
  caseOf('a bad name and bad values', {
    metadata: { name: 'Data' },
    spec: {
      accessModes: ['ReadWriteOnce', 'Sometimes', 'ReadWriteOncePod'],
      volumeMode: 'Tape',
      storageClassName: 'A b',
      resources: { requests: { storage: '-1' } },
      selector: { matchLabels: { 'a b': 'c' } },
    },
  }),
  caseOf('a data source is copied', claim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'other' } })),
  caseOf(
    'a snapshot is copied',
    claim({ dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'other' } }),
  ),
  caseOf('an unknown data source is dropped', claim({ dataSource: { apiGroup: 'a.b', kind: 'C', name: 'other' } })),
  caseOf(
    'an unknown data source in the reference is copied',
    claim({ dataSourceRef: { apiGroup: 'a.b', kind: 'C', name: 'other' } }),
  ),
  caseOf(
    'a data source elsewhere is dropped',
    claim({ dataSourceRef: { apiGroup: 'a.b', kind: 'C', name: 'other', namespace: 'n' } }),
  ),
  caseOf('a data source without a name', claim({ dataSourceRef: { kind: 'C', name: '' } })),
  caseOf('a volume is named once', claim(), [spec({ volumeName: 'v' }), spec({ volumeName: 'w' })]),
  caseOf('a class is given once', claim(), [spec({ storageClassName: 'fast' }), spec({ storageClassName: 'slow' })]),
  caseOf('a class moves from the annotation', claim({}, { annotations: { [CLASS]: 'fast' } }), [
    spec({ storageClassName: 'slow' }),
    spec({ storageClassName: 'fast' }),
  ]),
  caseOf('the annotation of the class changes', claim({}, { annotations: { [CLASS]: 'fast' } }), [
    { merge: { metadata: { annotations: { [CLASS]: 'slow' } } } },
  ]),
  caseOf('a pending one has a fixed spec', claim(), [
    size('2Gi'),
    spec({ accessModes: ['ReadWriteMany'] }),
    spec({ volumeMode: 'Block' }),
    spec({ volumeAttributesClassName: 'gold' }),
    { merge: { metadata: { labels: { a: 'b' } } } },
  ]),
  caseOf('a bound one shrinks', claim(), [bound, size('500Mi'), size('1Gi')]),
  caseOf('a bound one gets a class of attributes', claim(), [
    bound,
    spec({ volumeAttributesClassName: 'gold' }),
    status({ currentVolumeAttributesClassName: 'gold' }),
    spec({ volumeAttributesClassName: null }),
    spec({ volumeAttributesClassName: '' }),
  ]),
  caseOf('bad amounts in the status', claim(), [
    status({ capacity: { storage: '-1' } }),
    status({ allocatedResourceStatuses: { storage: 'Odd' } }),
    status({ allocatedResources: { storage: '-1' } }),
    status({ allocatedResources: { storage: '2Gi' }, allocatedResourceStatuses: { storage: 'NodeResizePending' } }),
  ]),
];
