import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const template = (spec: JsonObject = {}, labels: JsonObject = { app: 'a' }): JsonObject => ({
  metadata: { labels },
  spec: { containers: [{ name: 'web', image: 'nginx:1' }], ...spec },
});

const workload = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'w', ...metadata },
  spec: { selector: { matchLabels: { app: 'a' } }, template: template(), ...spec },
});

type Make = (name: string, object: JsonObject, changes?: readonly Change[]) => Case;

const deployment: Make = (name, object, changes = []) => ({
  name: `deployment: ${name}`,
  kind: 'Deployment',
  object,
  changes,
});

const replicaSet: Make = (name, object, changes = []) => ({
  name: `replicaset: ${name}`,
  kind: 'ReplicaSet',
  object,
  changes,
});

const revision: Make = (name, object, changes = []) => ({
  name: `controllerrevision: ${name}`,
  kind: 'ControllerRevision',
  object: { metadata: { name: 'r' }, ...object },
  changes,
});

const status = (merge: JsonObject): Change => ({ subresource: 'status', merge: { status: merge } });
const spec = (merge: JsonObject): Change => ({ merge: { spec: merge } });

const deployments: readonly Case[] = [
  deployment('the smallest one', workload()),
  deployment('zeros', workload({ replicas: 0, minReadySeconds: 0, revisionHistoryLimit: 0, paused: false })),
  deployment(
    'numbers for a rolling update',
    workload({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '50%' } } }),
  ),
  deployment('an empty rolling update', workload({ strategy: { type: 'RollingUpdate', rollingUpdate: {} } })),
  deployment('recreate', workload({ strategy: { type: 'Recreate' }, progressDeadlineSeconds: 5, minReadySeconds: 4 })),
  deployment(
    'expressions',
    workload({
      selector: {
        matchExpressions: [
          { key: 'app', operator: 'In', values: ['a', 'b'] },
          { key: 'x', operator: 'DoesNotExist' },
        ],
      },
    }),
  ),
  deployment(
    'a template with everything that a template is completed with',
    workload({
      template: {
        metadata: { labels: { app: 'a' }, creationTimestamp: null, annotations: { a: 'b' }, name: 'ignored' },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'nginx',
              ports: [{ containerPort: 80 }],
              resources: { limits: { cpu: '1000m' } },
              readinessProbe: { httpGet: { port: 'http' } },
            },
          ],
          volumes: [{ name: 'a' }, { name: 'b', configMap: { name: 'c' } }],
          serviceAccountName: 'sa',
          hostNetwork: true,
          terminationGracePeriodSeconds: -5,
          priorityClassName: 'any',
        },
      },
    }),
  ),
  deployment('no selector', { metadata: { name: 'w' }, spec: { template: template() } }),
  deployment('no spec', { metadata: { name: 'w' } }),
  deployment('an empty selector', workload({ selector: {} })),
  deployment('a selector that does not match', workload({ selector: { matchLabels: { app: 'b' } } })),
  deployment('a template without labels', workload({ template: { spec: template()['spec'] } })),
  deployment(
    'a wrong selector',
    workload({
      selector: {
        matchLabels: { 'a b': 'c d' },
        matchExpressions: [
          { key: 'a', operator: 'X' },
          { key: '', operator: 'In' },
          { key: 'b', operator: 'Exists', values: ['x'] },
        ],
      },
    }),
  ),
  deployment(
    'wrong numbers',
    workload({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 }),
  ),
  deployment('a short deadline', workload({ minReadySeconds: 600 })),
  deployment(
    'nothing may be missing nor added',
    workload({ strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: 0 } } }),
  ),
  deployment('wrong percents', workload({ strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '101%' } } })),
  deployment('a negative surge', workload({ strategy: { rollingUpdate: { maxSurge: -1, maxUnavailable: 0 } } })),
  deployment(
    'recreate with a rolling update',
    workload({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
  ),
  deployment('an unknown strategy', workload({ strategy: { type: 'X' } })),
  deployment(
    'a wrong template',
    workload({
      template: template(
        { restartPolicy: 'Never', activeDeadlineSeconds: 5, containers: [{ name: 'A' }] },
        { app: 'a', 'b c': 'd' },
      ),
    }),
  ),
  deployment('a wrong name', workload({}, { name: 'A' })),
  deployment('a wrong type', workload({ replicas: 'three' })),
  {
    ...deployment(
      'unknown fields',
      workload({ template: { spec: { containers: [{ name: 'a', image: 'b', x: 1 }] }, y: 2 } }),
    ),
    isStrict: true,
  },
  deployment('changes', workload(), [
    { merge: { metadata: { labels: { a: 'b' } } } },
    { merge: { metadata: { annotations: { a: 'b' } } } },
    { merge: { metadata: { annotations: {} } } },
    spec({ replicas: 3 }),
    spec({ selector: { matchLabels: { app: 'a', more: 'b' } }, template: template({}, { app: 'a', more: 'b' }) }),
    spec({ template: { metadata: { labels: { app: 'a', v: '2' } } } }),
    spec({ paused: true }),
    spec({ paused: null }),
    { merge: { status: { replicas: 5 } } },
    { merge: { metadata: { generation: 99 } } },
    { merge: { metadata: { generation: 1 } } },
  ]),
  deployment('status', workload(), [
    status({
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      unavailableReplicas: 0,
      collisionCount: 0,
      terminatingReplicas: 0,
      conditions: [
        { type: 'Available', status: 'True', lastUpdateTime: '2026-01-01T00:00:00Z', reason: 'r', message: '' },
      ],
    }),
    status({ replicas: 1 }),
    status({ replicas: -1, readyReplicas: 0, availableReplicas: 0 }),
    status({ collisionCount: 2 }),
    status({ collisionCount: 1 }),
    {
      subresource: 'status',
      merge: { spec: { replicas: 9 }, metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } },
    },
  ]),
];

const replicaSets: readonly Case[] = [
  replicaSet('the smallest one', workload()),
  replicaSet('zeros', workload({ replicas: 0, minReadySeconds: 0 })),
  replicaSet('no template', { metadata: { name: 'w' }, spec: { selector: { matchLabels: { app: 'a' } } } }),
  replicaSet('wrong', workload({ replicas: -1, minReadySeconds: -2, selector: {} })),
  replicaSet('no selector', { metadata: { name: 'w' }, spec: { template: template() } }),
  replicaSet('changes', workload(), [
    spec({ replicas: 2 }),
    { merge: { metadata: { annotations: { a: 'b' } } } },
    spec({ selector: { matchLabels: { app: null, x: 'y' } }, template: template({}, { x: 'y' }) }),
  ]),
  replicaSet('status', workload(), [
    status({ replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 }),
    status({ replicas: 0 }),
    status({ readyReplicas: 0 }),
    { subresource: 'status', merge: { metadata: { labels: { a: 'b' } }, spec: { replicas: 4 } } },
    status({ replicas: 0, fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: null }),
  ]),
];

const revisions: readonly Case[] = [
  revision('with data', { revision: 1, data: { a: null, b: [], c: { d: 0 } } }, [
    { merge: { revision: 2 } },
    { merge: { data: { a: 1 } } },
    { merge: { revision: -1 } },
  ]),
  revision('without data', { revision: 1 }),
  revision('with data that is none', { revision: 0, data: [] }),
  revision('without a revision', { data: {} }),
  revision('with a negative revision', { revision: -1, data: {} }),
];

/** Deployments, ReplicaSets and ControllerRevisions. */
export const workloads: readonly Case[] = [...deployments, ...replicaSets, ...revisions];
