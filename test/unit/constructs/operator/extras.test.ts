import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { Operator, type TrustProps } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { createLoopMetrics } from '#lib/telemetry/loop-metrics.ts';
import { type Family, type FamilyOptions, Registry } from '#lib/telemetry/metric.ts';
import { createRequestMetrics } from '#lib/telemetry/request-metrics.ts';
import { made } from './made.ts';

const note = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Note',
  description: 'Keeps a text.',
  spec: s.object({ text: s.string({ maxLength: 10, description: 'The text.' }) }, { description: 'What to keep.' }),
  status: s.object({}, { description: 'Nothing.' }),
  owns: [ConfigMap],
  desired: () => ({ children: [], status: {}, state: ready('Done', '') }),
});

/** The names of all metrics of the operator. */
const metricNames = (): ReadonlySet<string> => {
  const names = new Set<string>();
  class Names extends Registry {
    override family(options: FamilyOptions): Family {
      names.add(options.name);
      if (options.type === 'histogram') names.add(`${options.name}_bucket`);
      return super.family(options);
    }
  }
  const registry = new Names();
  createLoopMetrics(registry);
  createRequestMetrics(registry);
  return names;
};

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

interface Workload {
  readonly template: { readonly spec: { readonly containers: readonly Container[] } };
}

describe('Operator', () => {
  it('Operator refuses a memory limit below what its kinds take at the start, and names the parts', () => {
    const kinds = Array.from({ length: 20 }, (_, index) => ({
      ...note,
      kind: `Note${String.fromCodePoint(97 + index)}`,
    }));
    const says =
      'memoryMiB is 137 [memory]; expected a whole number from 138 to 65536: the process takes 138 MiB at its start (106 for Node.js and the loop, 1.6 × 20 kinds), and needs more for resources';
    expect(() => made<Workload>('Deployment', { kinds, memoryMiB: 137 })).toThrow(says);
    expect(made<Workload>('Deployment', { kinds, memoryMiB: 138 })).toHaveLength(1);
  });

  it.each([
    { memoryMiB: 1000, options: '--max-old-space-size=700 --max-semi-space-size=8' },
    { memoryMiB: 256, options: '--max-old-space-size=179 --max-semi-space-size=8' },
    { memoryMiB: 255, options: '--max-old-space-size=178 --max-semi-space-size=4' },
  ])('Operator gives Node a heap that fits into $memoryMiB MiB', ({ memoryMiB, options }) => {
    const [deployment] = made<Workload>('Deployment', { memoryMiB });
    const [container] = deployment?.spec.template.spec.containers ?? [];
    expect(container?.resources.limits.memory).toBe(`${memoryMiB}Mi`);
    expect(container?.env).toContainEqual({ name: 'NODE_OPTIONS', value: options });
    expect(container?.env).toContainEqual({ name: 'MALLOC_ARENA_MAX', value: '1' });
    expect(container?.env).toContainEqual({ name: 'MALLOC_TRIM_THRESHOLD_', value: '65536' });
  });

  it('Operator mounts the certificates that effects trust, from a ConfigMap or a Secret, and gives them to Node', () => {
    interface Trusting {
      readonly template: {
        readonly spec: { readonly volumes: readonly object[]; readonly containers: readonly Container[] };
      };
    }
    const podOf = (certificateAuthority: TrustProps) =>
      made<Trusting>('Deployment', { effects: { metricHosts: ['a.b'], certificateAuthority } })[0]?.spec.template.spec;
    const items = [{ key: 'ca.crt', path: 'ca.crt' }];
    expect(podOf({ configMapName: 'company' })?.volumes).toContainEqual({
      name: 'trust',
      configMap: { name: 'company', items },
    });
    const ofSecret = podOf({ secretName: 'company', key: 'root.pem' });
    expect(ofSecret?.volumes).toContainEqual({
      name: 'trust',
      secret: { secretName: 'company', items: [{ key: 'root.pem', path: 'ca.crt' }] },
    });
    expect(ofSecret?.containers[0]).toMatchObject({
      env: expect.arrayContaining([{ name: 'NODE_EXTRA_CA_CERTS', value: '/var/run/trust/ca.crt' }]) as object,
      volumeMounts: expect.arrayContaining([{ name: 'trust', mountPath: '/var/run/trust', readOnly: true }]) as object,
    });
    expect(JSON.stringify(made('Deployment', { effects: { metricHosts: ['a.b'] } }))).not.toContain('trust');
  });

  it('Operator adds the kinds to the roles of people, never the writing of a status', () => {
    const roles = made('ClusterRole', { userRoles: true }).filter(({ metadata }) => metadata.name !== 'op');
    expect(roles.map(({ metadata }) => metadata.name)).toEqual(['op-view', 'op-edit']);
    const [view, edit] = roles;
    expect(view?.rules[0]?.resources).toEqual(['podsets', 'podsets/scale', 'podsets/status']);
    expect(edit?.rules[0]?.resources).toEqual(['podsets', 'podsets/scale']);
    expect(edit?.metadata.labels).toMatchObject({ 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' });
  });

  it('Operator watches metrics that the operator has', () => {
    const monitoring = { serviceMonitor: true, alerts: true, dashboard: true };
    expect(made('ServiceMonitor', { monitoring })).toHaveLength(1);
    const text = JSON.stringify([made('PrometheusRule', { monitoring }), made('ConfigMap', { monitoring })]);
    const asked = new Set(text.match(/\b[a-z0-9_]+(?=\{job=)/g));
    expect(asked.size).toBeGreaterThan(10);
    expect([...asked.difference(metricNames())]).toEqual(['up', 'process_start_time_seconds']);
    expect(made('PrometheusRule')).toEqual([]);
  });

  it('Operator comes before the resources in an application of Argo CD', () => {
    const [namespace] = made('Namespace', { argoCd: true });
    expect(namespace?.metadata.annotations).toEqual({ 'argocd.argoproj.io/sync-wave': '-1' });
    expect(made('Namespace')[0]?.metadata.annotations).toBeUndefined();
  });

  it('Operator states the access that its rights give to users, in its role and at synthesis', () => {
    const effects = { allowedHosts: ['hooks.example.com'] };
    const { escalations } = new Operator(new Chart(new App(), 'chart'), 'op', {
      kinds: [podSet, note],
      image: 'a:1',
      effects,
    });
    expect(escalations).toEqual([
      'authors of PodSet can run and delete pods through the operator, and so reach every Secret, ConfigMap and ServiceAccount of the namespace',
      'the operator reads the Secrets that resources name for effects, one at a time: the holder of its token may read each Secret whose name it knows',
    ]);
    const [role] = made('ClusterRole', { effects });
    expect(role?.metadata.annotations).toEqual({ 'cdk8s-reconcile/escalation': escalations.join('; ') });
    expect(made('ClusterRole', { kinds: [note] })[0]?.metadata.annotations).toBeUndefined();
  });
});
