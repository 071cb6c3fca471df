import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

const autoscaler = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'h', ...metadata },
  spec: { scaleTargetRef, maxReplicas: 5, ...spec },
});

const caseOf = (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `horizontalpodautoscaler: ${name}`,
  kind: 'HorizontalPodAutoscaler',
  object,
  changes,
});

const spec = (merge: JsonObject): Change => ({ merge: { spec: merge } });
const average = { type: 'AverageValue', averageValue: '10' };
const use = { type: 'Utilization', averageUtilization: 50 };
const metric = { name: 'requests' };
const described = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'main' };

/** HorizontalPodAutoscalers: defaults, metrics of each type, behavior and changes. */
export const autoscalerCases: readonly Case[] = [
  caseOf('the smallest one', autoscaler()),
  caseOf('no spec', { metadata: { name: 'h' } }),
  caseOf('a wrong name and wrong numbers', autoscaler({ minReplicas: 0, maxReplicas: 0 }, { name: 'A_' })),
  caseOf('a negative maximum', autoscaler({ minReplicas: -1, maxReplicas: -2 })),
  caseOf('a minimum above the maximum', autoscaler({ minReplicas: 7 }), []),
  caseOf('no target', autoscaler({ scaleTargetRef: { kind: '', name: '' } })),
  caseOf('a wrong target', autoscaler({ scaleTargetRef: { apiVersion: 'a/b/c', kind: 'a/b', name: '..' } })),
  caseOf('a target of the core group', autoscaler({ scaleTargetRef: { apiVersion: 'v1', kind: 'Pod', name: 'p' } })),
  caseOf(
    'a target of the only scalable kind of the core group',
    autoscaler({ scaleTargetRef: { apiVersion: 'v1', kind: 'ReplicationController', name: 'p' } }),
  ),
  caseOf(
    'a metric of each type',
    autoscaler({
      metrics: [
        { type: 'Resource', resource: { name: 'memory', target: average } },
        { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: use } },
        { type: 'Pods', pods: { metric, target: average } },
        { type: 'Object', object: { describedObject: described, metric, target: { type: 'Value', value: '1k' } } },
        {
          type: 'External',
          external: { metric: { ...metric, selector: { matchLabels: { a: 'b' } } }, target: average },
        },
      ],
    }),
    [spec({ minReplicas: 2 }), spec({ maxReplicas: 1 }), spec({ metrics: null })],
  ),
  caseOf(
    'metrics without content',
    autoscaler({
      metrics: [
        {},
        { type: 'Other' },
        { type: 'Pods' },
        { type: 'Resource', resource: {} },
        { type: 'ContainerResource', containerResource: {} },
        { type: 'Pods', pods: {} },
        { type: 'Object', object: {} },
        { type: 'External', external: {} },
      ],
    }),
  ),
  caseOf(
    'wrong metrics',
    autoscaler({
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { ...use, averageValue: '1' } } },
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } } },
        { type: 'ContainerResource', containerResource: { name: 'a b', container: 'A.b', target: use } },
        { type: 'Pods', pods: { metric: { name: 'a/b' }, target: { type: 'Value', value: '0' } } },
        { type: 'Pods', pods: { metric, target: { type: 'X', averageValue: '-1' } } },
        { type: 'External', external: { metric, target: { type: 'Value', value: '1', averageValue: '1' } } },
        {
          type: 'Object',
          object: { describedObject: { apiVersion: 'a/b/c', kind: 'K', name: 'n' }, metric, target: average },
        },
        { type: 'Pods', pods: { metric, target: average }, resource: { name: 'cpu', target: use } },
      ],
    }),
  ),
  caseOf(
    'behavior',
    autoscaler({ behavior: { scaleUp: { stabilizationWindowSeconds: 60 }, scaleDown: { selectPolicy: 'Disabled' } } }),
    [
      spec({
        behavior: { scaleDown: { tolerance: '0.05', policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] } },
      }),
    ],
  ),
  caseOf('empty behavior', autoscaler({ behavior: {} })),
  caseOf(
    'wrong behavior',
    autoscaler({
      behavior: {
        scaleUp: { stabilizationWindowSeconds: -1, selectPolicy: 'Some', tolerance: '-1' },
        scaleDown: {
          stabilizationWindowSeconds: 3601,
          policies: [
            { type: 'X', value: 0, periodSeconds: 0 },
            { type: 'Pods', value: 1, periodSeconds: 1801 },
          ],
        },
      },
    }),
  ),
  caseOf('a change to a core target', autoscaler(), [
    spec({ scaleTargetRef: { apiVersion: 'v1', kind: 'Deployment' } }),
    spec({ scaleTargetRef: { name: 'other' } }),
  ]),
  caseOf('a status', { ...autoscaler(), status: { currentReplicas: 1, desiredReplicas: 1 } }, [
    { subresource: 'status', merge: { status: { currentReplicas: 2, desiredReplicas: 2, currentMetrics: null } } },
    { subresource: 'status', merge: { status: { currentReplicas: -1, desiredReplicas: -1 } } },
  ]),
];
