import { describe, expect, it } from 'vitest';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { kubeStateMetricsConfig } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { kindWith } from '#test/unit/support/note-kind.ts';
import { made } from './made.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly for: string;
      readonly labels: Readonly<Record<string, string>>;
    }[];
  }[];
}

const rulesOf = (props: Parameters<typeof made>[1]) =>
  made<Rules>('PrometheusRule', props).flatMap(({ spec }) => spec.groups.flatMap(({ rules }) => rules));

const alertsOf = (monitoring: object) => rulesOf({ monitoring: { alerts: true, ...monitoring } });

/** The selectors of the series of the alerts about single resources. */
const selectorsOf = (props: Parameters<typeof made>[1]) =>
  rulesOf(props)
    .filter(({ alert }) => alert.startsWith('Resource'))
    .flatMap(({ expr }) => [...expr.matchAll(/\{[^}]*\}/g)].map(([selector]) => selector));

describe('monitoring of an Operator', () => {
  it('every alert carries the operator, and looks at the series of that one in its namespace', () => {
    const rules = rulesOf({ namespace: 'home', monitoring: { alerts: true } });
    expect(rules.length).toBeGreaterThan(8);
    for (const { labels, expr } of rules) {
      expect(labels).toMatchObject({ operator: 'op', operator_namespace: 'home', namespace: 'home' });
      expect(expr).toContain('{job="op-metrics",namespace="home"}');
    }
  });

  it('ServiceMonitor and PrometheusRule take labels, also in place of those of the bundle', () => {
    const labels = { release: 'prometheus', 'app.kubernetes.io/name': 'another' };
    const monitoring = { serviceMonitor: true, alerts: true, labels };
    for (const kind of ['ServiceMonitor', 'PrometheusRule']) {
      expect(made(kind, { monitoring })[0]?.metadata.labels).toMatchObject({
        release: 'prometheus',
        'app.kubernetes.io/name': 'another',
      });
    }
  });

  it('alerts about single resources look only at the namespaces of the operator', () => {
    const clusterWide = { ...kindWith({}), scope: 'Cluster' as const };
    const cases = [
      { props: {}, part: undefined },
      { props: { namespaces: ['green', 'blue'] }, part: 'namespace=~"blue|green"' },
      { props: { namespaces: ['blue'], kinds: [podSet, clusterWide] }, part: 'namespace=~"|blue"' },
    ];
    for (const { props, part } of cases) {
      const selectors = selectorsOf({ ...props, monitoring: { alerts: true, kubeStateMetrics: true } });
      expect(selectors.length).toBeGreaterThan(6);
      for (const selector of selectors) expect(/namespace=~"[^"]*"/.exec(selector)?.[0]).toBe(part);
    }
  });

  it('kubeStateMetricsConfig() shows conditions and generations of all kinds', () => {
    const { kind, spec } = kubeStateMetricsConfig([podSet, canaryRollout]);
    expect(kind).toBe('CustomResourceStateMetrics');
    expect(spec.resources.map(({ groupVersionKind }) => groupVersionKind)).toEqual(
      [podSet, canaryRollout].map(({ group, version, kind: of }) => ({ group, version, kind: of })),
    );
    const [resource] = spec.resources;
    expect(resource?.metrics.map(({ name }) => name)).toEqual(['condition', 'generation', 'observed_generation']);
    expect(resource?.labelsFromPath).toEqual({ namespace: ['metadata', 'namespace'], name: ['metadata', 'name'] });
  });

  it('kubeStateMetricsConfig() says what the observed generation is before the operator has looked', () => {
    const [resource] = kubeStateMetricsConfig([podSet]).spec.resources;
    const observed = resource?.metrics.find(({ name }) => name === 'observed_generation');
    const [version] = compileCrd(podSet).spec.versions;
    const { default: unseen } = version?.schema.openAPIV3Schema.properties?.['status'] ?? {};
    expect(unseen).toMatchObject({ observedGeneration: -1 });
    expect(observed?.help).toContain('-1 before the operator has looked');
  });

  it('kubeStateMetrics makes a ConfigMap in the namespace of kube-state-metrics, and a role for it', () => {
    const kinds = [podSet, canaryRollout];
    const monitoring = { kubeStateMetrics: { namespace: 'monitoring' } };
    const [map] = made('ConfigMap', { kinds, monitoring });
    expect(map?.metadata).toMatchObject({ name: 'op-kube-state-metrics', namespace: 'monitoring' });
    expect(map?.data['config.yaml']).toContain('kind: CustomResourceStateMetrics');
    const role = made('ClusterRole', { kinds, monitoring }).find(
      ({ metadata }) => metadata.name === 'op-kube-state-metrics',
    );
    expect(role?.rules).toEqual([
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['list', 'watch'],
      },
      { apiGroups: ['app.example.com'], resources: ['podsets'], verbs: ['list', 'watch'] },
      { apiGroups: ['deploy.example.com'], resources: ['canaryrollouts'], verbs: ['list', 'watch'] },
    ]);
    expect(made('PrometheusRule', { monitoring })).toEqual([]);
  });

  it('alerts about single resources come with kube-state-metrics, after as many minutes as wanted', () => {
    expect(alertsOf({}).filter(({ alert }) => alert.startsWith('Resource'))).toEqual([]);
    const rules = alertsOf({ kubeStateMetrics: { notReadyMinutes: 40 } });
    const ofResources = rules.filter(({ alert }) => alert.startsWith('Resource'));
    expect(ofResources.map(({ alert }) => alert)).toEqual([
      'ResourceStalled',
      'ResourceWaitsForPerson',
      'ResourceNotReady',
      'ResourceNotSeen',
    ]);
    expect(ofResources.find(({ alert }) => alert === 'ResourceNotReady')?.for).toBe('40m');
    for (const { labels } of ofResources) expect(labels).not.toHaveProperty('namespace');
  });
});
