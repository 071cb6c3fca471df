import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const template = (spec: JsonObject = {}, labels: JsonObject = { app: 'a' }): JsonObject => ({
  metadata: { labels },
  spec: { containers: [{ name: 'web', image: 'nginx:1' }], ...spec },
});

const set = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'w', ...metadata },
  spec: { selector: { matchLabels: { app: 'a' } }, template: template(), ...spec },
});

const caseOf =
  (kind: string) =>
  (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
    name: `${kind.toLowerCase()}: ${name}`,
    kind,
    object,
    changes,
  });

const statefulSet = caseOf('StatefulSet');
const daemonSet = caseOf('DaemonSet');

const status = (merge: JsonObject): Change => ({ subresource: 'status', merge: { status: merge } });
const spec = (merge: JsonObject): Change => ({ merge: { spec: merge } });

const WRONG_SELECTOR = {
  matchLabels: { 'a b': 'c d' },
  matchExpressions: [
    { key: 'a', operator: 'X' },
    { key: '', operator: 'In' },
  ],
};

const claim = (name: string, more: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
});

const statefulSets: readonly Case[] = [
  statefulSet('the smallest one', set()),
  statefulSet('a service, ordinals and claims', {
    ...set({
      serviceName: 'web',
      replicas: 0,
      ordinals: { start: 5 },
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
      minReadySeconds: 3,
      volumeClaimTemplates: [
        claim('data'),
        claim('more', {
          accessModes: ['ReadWriteMany', 'ReadOnlyMany'],
          storageClassName: 'fast',
          volumeMode: 'Block',
          selector: { matchLabels: { a: 'b' } },
          dataSource: { kind: 'PersistentVolumeClaim', name: 'other' },
        }),
      ],
      template: template({
        hostname: 'A_',
        subdomain: 'B_',
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [{ name: 'web', image: 'nginx', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      }),
    }),
  }),
  statefulSet('on delete', set({ updateStrategy: { type: 'OnDelete' } })),
  statefulSet('rolling without numbers', set({ updateStrategy: { type: 'RollingUpdate' } })),
  statefulSet('an empty update strategy', set({ updateStrategy: { rollingUpdate: { maxUnavailable: '10%' } } })),
  statefulSet('no selector', { metadata: { name: 'w' }, spec: { template: template() } }),
  statefulSet('no spec', { metadata: { name: 'w' } }),
  statefulSet('an empty selector', set({ selector: {} })),
  statefulSet('a selector that does not match', set({ selector: { matchLabels: { app: 'b' } } })),
  statefulSet('a wrong selector', set({ selector: WRONG_SELECTOR })),
  statefulSet('wrong numbers', set({ replicas: -1, minReadySeconds: -1, ordinals: { start: -1 } })),
  statefulSet(
    'wrong words',
    set({
      podManagementPolicy: 'X',
      updateStrategy: { type: 'Y', rollingUpdate: { partition: 1 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Z' },
      serviceName: 'A_',
    }),
  ),
  statefulSet('on delete with numbers', set({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } })),
  statefulSet(
    'wrong numbers of an update',
    set({ updateStrategy: { rollingUpdate: { partition: -1, maxUnavailable: 0 } } }),
  ),
  statefulSet('a wrong percentage', set({ updateStrategy: { rollingUpdate: { maxUnavailable: '101%' } } })),
  statefulSet('no percentage', set({ updateStrategy: { rollingUpdate: { maxUnavailable: 'x' } } })),
  statefulSet(
    'wrong claims',
    set({
      volumeClaimTemplates: [
        { metadata: { name: 'a' }, spec: {} },
        claim('b', {
          accessModes: ['X', 'ReadWriteOncePod', 'ReadWriteOnce'],
          volumeMode: 'Y',
          storageClassName: 'A_',
        }),
        claim('c', { resources: { requests: { storage: '-1' } }, dataSource: { kind: 'Snapshot', name: '' } }),
        claim('d', { selector: { matchLabels: { 'a b': 'c' } }, dataSource: { apiGroup: 'A_', kind: '', name: 'a' } }),
      ],
    }),
  ),
  statefulSet(
    'a wrong template',
    set({
      template: {
        ...template({ restartPolicy: 'Never', activeDeadlineSeconds: 5, containers: [{ name: 'A' }] }),
        metadata: { labels: { app: 'a', 'b c': 'd' }, annotations: { 'x y': 'z' } },
      },
    }),
  ),
  statefulSet('a wrong name', set({}, { name: 'a.b' })),
  statefulSet('changes', set({ volumeClaimTemplates: [claim('data')] }), [
    spec({ replicas: 3 }),
    { merge: { metadata: { annotations: { a: 'b' } } } },
    spec({ serviceName: 'other' }),
    spec({ podManagementPolicy: 'Parallel' }),
    spec({ volumeClaimTemplates: [claim('data', { storageClassName: 'x' })] }),
    spec({ template: { metadata: { labels: { app: 'a', v: '2' } } } }),
    spec({ selector: { matchLabels: { app: 'a', v: '2' } } }),
    spec({ ordinals: { start: 2 }, minReadySeconds: 1, revisionHistoryLimit: 0, updateStrategy: { type: 'OnDelete' } }),
    spec({ updateStrategy: { rollingUpdate: null } }),
    spec({ replicas: -1 }),
  ]),
  statefulSet('status', set(), [
    status({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 2,
      currentReplicas: 1,
      updatedReplicas: 2,
      availableReplicas: 2,
      currentRevision: 'a',
      updateRevision: 'b',
      collisionCount: 1,
    }),
    status({ replicas: 1 }),
    status({ availableReplicas: 3 }),
    status({ collisionCount: 0 }),
    status({ replicas: -1 }),
    { subresource: 'status', merge: { spec: { replicas: 9 }, metadata: { labels: { a: 'b' } } } },
  ]),
];

const daemonSets: readonly Case[] = [
  daemonSet('the smallest one', set()),
  daemonSet(
    'numbers',
    set({ minReadySeconds: 2, updateStrategy: { rollingUpdate: { maxSurge: '10%', maxUnavailable: 0 } } }),
  ),
  daemonSet('on delete', set({ updateStrategy: { type: 'OnDelete' } })),
  daemonSet(
    'a generation of the template',
    set({}, { annotations: { 'deprecated.daemonset.template.generation': '7' } }),
  ),
  daemonSet('no generation', set({}, { annotations: { 'deprecated.daemonset.template.generation': 'x' } })),
  daemonSet('no selector', { metadata: { name: 'w' }, spec: { template: template() } }),
  daemonSet('no spec', { metadata: { name: 'w' } }),
  daemonSet('an empty selector', set({ selector: {} })),
  daemonSet('a selector that does not match', set({ selector: { matchLabels: { app: 'b' } } })),
  daemonSet('a wrong selector', set({ selector: WRONG_SELECTOR })),
  daemonSet('wrong numbers', set({ minReadySeconds: -1, revisionHistoryLimit: -1 })),
  daemonSet('an unknown strategy', set({ updateStrategy: { type: 'X' } })),
  daemonSet('surge and missing', set({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } })),
  daemonSet('neither', set({ updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } })),
  daemonSet('wrong percents', set({ updateStrategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '101%' } } })),
  daemonSet(
    'a wrong template',
    set({
      template: template(
        { restartPolicy: 'Never', activeDeadlineSeconds: 5, containers: [{ name: 'A' }] },
        { app: 'a', 'b c': 'd' },
      ),
    }),
  ),
  daemonSet('a wrong name', set({}, { name: 'A' })),
  daemonSet('changes', set(), [
    { merge: { metadata: { annotations: { a: 'b' } } } },
    spec({ minReadySeconds: 3 }),
    spec({ template: { metadata: { labels: { app: 'a', v: '2' } } } }),
    { merge: { metadata: { annotations: { 'deprecated.daemonset.template.generation': '9' } } } },
    { merge: { metadata: { annotations: null } } },
    spec({ selector: { matchLabels: { app: 'a', v: '2' } } }),
  ]),
  daemonSet('status', set(), [
    status({
      observedGeneration: 1,
      currentNumberScheduled: 2,
      desiredNumberScheduled: 2,
      numberReady: 1,
      numberMisscheduled: 0,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
      numberUnavailable: 1,
      collisionCount: 1,
    }),
    status({ numberReady: -1, collisionCount: 0 }),
    { subresource: 'status', merge: { spec: { minReadySeconds: 9 }, metadata: { labels: { a: 'b' } } } },
  ]),
];

/** StatefulSets and DaemonSets. */
export const sets: readonly Case[] = [...statefulSets, ...daemonSets];
