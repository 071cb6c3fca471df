import { App, Chart, Testing } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { canaryRollout, canaryRolloutWith } from '#constructs/canary-rollout/kind.ts';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { InvalidOperatorError } from '#lib/errors.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
}

const image = 'registry.example.com/operator:1';

const manifests = (props: Partial<OperatorProps> = {}, namespace?: string): Manifest[] => {
  const chart = new Chart(new App(), 'chart', namespace === undefined ? {} : { namespace });
  new Operator(chart, 'operator', { kinds: [podSet], image, ...props });
  return Testing.synth(chart) as Manifest[];
};

const deployment = (props: Partial<OperatorProps> = {}): Manifest | undefined =>
  manifests(props).find(({ kind }) => kind === 'Deployment');

describe('Operator', () => {
  it('Operator makes each object once, in the order in which they can be applied', () => {
    expect(manifests().map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`)).toEqual([
      'Namespace -/reconcile-operator',
      'CustomResourceDefinition -/podsets.app.example.com',
      'ServiceAccount reconcile-operator/reconcile-operator',
      'ClusterRole -/reconcile-operator',
      'ClusterRoleBinding -/reconcile-operator',
      'Role reconcile-operator/reconcile-operator-leader-election',
      'RoleBinding reconcile-operator/reconcile-operator-leader-election',
      'ValidatingAdmissionPolicy -/reconcile-operator-pod-guard',
      'ValidatingAdmissionPolicyBinding -/reconcile-operator-pod-guard',
      'Deployment reconcile-operator/reconcile-operator',
      'NetworkPolicy reconcile-operator/reconcile-operator',
      'PodDisruptionBudget reconcile-operator/reconcile-operator',
      'Service reconcile-operator/reconcile-operator-metrics',
    ]);
  });

  it('Operator gives the same manifests every time', () => {
    expect(JSON.stringify(manifests())).toBe(JSON.stringify(manifests()));
  });

  it('Operator puts no namespace of the chart on anything, and its own on what is namespaced', () => {
    const namespaces = manifests({ name: 'op' }, 'elsewhere').map(({ metadata }) => metadata.namespace);
    expect(namespaces).toEqual([
      undefined,
      undefined,
      'op',
      undefined,
      undefined,
      'op',
      'op',
      undefined,
      undefined,
      'op',
      'op',
      'op',
      'op',
    ]);
  });

  it('Operator labels every object', () => {
    for (const { metadata } of manifests()) {
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'cdk8s-reconcile' });
    }
  });

  it('Operator waits longer for the pod to end than the loop takes to drain, and rolls two replicas one by one', () => {
    type Deployment = {
      spec: { strategy: object; replicas: number; template: { spec: { terminationGracePeriodSeconds: number } } };
    };
    const { spec } = deployment() as unknown as Deployment;
    const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
    expect(spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate', rollingUpdate } });
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(30);
  });

  it('Operator lets no kubelet probe a process that starts, and ends one that has not opened its port after a minute', () => {
    type Deployment = { spec: { template: { spec: { containers: Readonly<Record<string, object>>[] } } } };
    const { spec } = deployment() as unknown as Deployment;
    expect(spec.template.spec.containers[0]?.['startupProbe']).toEqual({
      httpGet: { path: '/healthz', port: 'health' },
      initialDelaySeconds: 5,
      periodSeconds: 1,
      timeoutSeconds: 2,
      failureThreshold: 60,
    });
  });

  it('Operator works, and has rights, in the namespaces that it is given, and in no others', () => {
    const made = manifests({ name: 'op', namespaces: ['team-a', 'team-b'] });
    const rights = made.filter(({ apiVersion }) => apiVersion.startsWith('rbac'));
    expect(rights.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`)).toEqual([
      'Role team-a/op',
      'RoleBinding team-a/op',
      'Role team-b/op',
      'RoleBinding team-b/op',
      'Role op/op-leader-election',
      'RoleBinding op/op-leader-election',
    ]);
    expect(JSON.stringify(made)).toContain('{"name":"WATCH_NAMESPACE","value":"team-a,team-b"}');
  });

  it('Operator gives the process the hosts that are asked for metrics and those that get any request', () => {
    const made = JSON.stringify(
      manifests({
        effects: { metricHosts: ['prometheus.monitoring.svc:9090'], webhookHosts: ['hooks.example.com', 'a.b'] },
      }),
    );
    expect(made).toContain('{"name":"METRIC_HOSTS","value":"prometheus.monitoring.svc:9090"}');
    expect(made).toContain('{"name":"WEBHOOK_HOSTS","value":"hooks.example.com,a.b"}');
    expect(made).not.toContain('EFFECT_HOSTS');
  });

  it('Operator gives the process the hosts of effects', () => {
    const made = manifests({ effects: { allowedHosts: ['metrics.example.com', '*.example.org:8443'] } });
    const hosts = '{"name":"EFFECT_HOSTS","value":"metrics.example.com,*.example.org:8443"}';
    expect(JSON.stringify(made)).toContain(hosts);
  });

  it.each([
    { allowedHosts: ['prometheus.monitoring.svc:9090'], prometheusUrl: 'http://prometheus.monitoring.svc:9090' },
    { allowedHosts: ['*.monitoring.svc:80'], prometheusUrl: 'http://prometheus.monitoring.svc/below' },
    { allowedHosts: ['metrics.example.com'], prometheusUrl: 'https://Metrics.example.com/' },
    { allowedHosts: ['[FD00:0::1]:9090'], prometheusUrl: 'http://[fd00:0:0::1]:9090' },
  ])('Operator gives the process the Prometheus of metrics: $prometheusUrl', (effects) => {
    const variable = `{"name":"PROMETHEUS_URL","value":"${effects.prometheusUrl}"}`;
    expect(JSON.stringify(deployment({ kinds: [canaryRollout], effects }))).toContain(variable);
    expect(JSON.stringify(deployment({ effects: { allowedHosts: ['a.b'] } }))).not.toContain('PROMETHEUS_URL');
  });

  it('Operator sets the level of the log', () => {
    expect(JSON.stringify(deployment({ logLevel: 'debug' }))).toContain('{"name":"LOG_LEVEL","value":"debug"}');
    expect(JSON.stringify(deployment())).not.toContain('LOG_LEVEL');
  });

  it('Operator sets the numbers and the events of the process, and leaves out what is not set', () => {
    const tuning = {
      concurrency: 4,
      connections: 8,
      readTimeoutSeconds: 60,
      writeTimeoutSeconds: 5,
      watchSilenceSeconds: 120,
      effectConcurrency: 2,
    };
    const made = JSON.stringify(deployment({ ...tuning, events: 'warnings' }));
    for (const [name, value] of Object.entries({
      CONCURRENCY: '4',
      CONNECTIONS: '8',
      READ_TIMEOUT_SECONDS: '60',
      WRITE_TIMEOUT_SECONDS: '5',
      WATCH_SILENCE_SECONDS: '120',
      EFFECT_CONCURRENCY: '2',
      EVENTS: 'warnings',
    }))
      expect(made).toContain(`{"name":"${name}","value":"${value}"}`);
    expect(JSON.stringify(deployment())).not.toMatch(/CONCURRENCY|CONNECTIONS|TIMEOUT|SILENCE|EVENTS/);
  });

  it('Operator grants no right on events when none are written', () => {
    expect(JSON.stringify(manifests({ events: 'off' }))).not.toContain('"events"');
    expect(JSON.stringify(manifests({ events: 'warnings' }))).toContain('"events"');
  });

  it('Operator records passes on a volume of bounded size that the pod has room for, and nothing else becomes writable', () => {
    type Made = { spec: { template: { spec: { containers: object[]; volumes: object[] } } } };
    const { spec } = deployment({ recordPasses: true }) as unknown as Made;
    expect(spec.template.spec.volumes).toContainEqual({ name: 'record', emptyDir: { sizeLimit: '128Mi' } });
    expect(spec.template.spec.containers).toMatchObject([
      {
        env: expect.arrayContaining([{ name: 'RECORD_FILE', value: '/var/record/passes.jsonl' }]) as unknown,
        resources: { limits: { 'ephemeral-storage': '640Mi' } },
        securityContext: { readOnlyRootFilesystem: true },
        volumeMounts: [
          { name: 'api-access', readOnly: true },
          { name: 'record', mountPath: '/var/record' },
        ],
      },
    ]);
    expect(JSON.stringify(deployment())).not.toMatch(/record/i);
  });

  it.each([
    { props: { effects: { allowedHosts: [] } }, says: 'effects names no host', reason: 'effects may go nowhere' },
    { props: { effects: { allowedHosts: ['https://a.b'] } }, says: 'without a scheme', reason: 'a host is a URL' },
    { props: { effects: { allowedHosts: ['*.com'] } }, says: '*.com', reason: 'effects may go anywhere in .com' },
    {
      props: { effects: { allowedHosts: ['*.10.0.0.1'] } },
      says: '*.10.0.0.1',
      reason: 'a wildcard is over addresses',
    },
    { props: { effects: { allowedHosts: ['*.0x7f.1'] } }, says: '*.0x7f.1', reason: 'addresses are spelled oddly' },
    { props: { effects: { allowedHosts: ['*.[fd00::1]'] } }, says: '*.[fd00::1]', reason: 'a wildcard is over IPv6' },
    { props: { effects: { allowedHosts: ['fd00::1'] } }, says: '"fd00::1"', reason: 'IPv6 has no brackets' },
    { props: { effects: { allowedHosts: ['a.b:0'] } }, says: 'a.b:0', reason: 'a port is 0' },
    { props: { effects: { allowedHosts: ['a.b:65536'] } }, says: 'a.b:65536', reason: 'a port is too high' },
    {
      props: { effects: { allowedHosts: ['a.b'], prometheusUrl: 'a.b' } },
      says: 'prometheusUrl is "a.b"',
      reason: 'the Prometheus is no URL',
    },
    {
      props: { effects: { allowedHosts: ['a.b'], prometheusUrl: 'https://u:p@a.b' } },
      says: 'without user',
      reason: 'the Prometheus has a user',
    },
    {
      props: { effects: { allowedHosts: ['a.b'], prometheusUrl: 'http://a.b' } },
      says: 'add "a.b:80"',
      reason: 'the Prometheus is not allowed under its port',
    },
    {
      props: { effects: { allowedHosts: ['*.b.c:80'], prometheusUrl: 'http://b.c' } },
      says: 'does not allow',
      reason: 'the Prometheus is the domain and not below it',
    },
    {
      props: { effects: { allowedHosts: ['[fd00::1]:9090'], prometheusUrl: 'http://[fd00::11]:9090' } },
      says: 'does not allow',
      reason: 'the Prometheus has another address',
    },
    {
      props: { effects: { allowedHosts: ['a.b'], prometheusUrl: 'https://a.b' } },
      says: 'no kind of this operator asks',
      reason: 'the Prometheus is not used',
    },
    {
      props: {
        kinds: [canaryRolloutWith({ prometheusUrl: 'https://c.d' })],
        effects: { allowedHosts: ['a.b'], prometheusUrl: 'https://a.b' },
      },
      says: 'no kind of this operator asks',
      reason: 'its kind asks another Prometheus',
    },
    {
      props: { effects: { allowedHosts: ['169.254.169.254:80'], prometheusUrl: 'http://169.254.169.254' } },
      says: 'are refused',
      reason: 'the Prometheus is a metadata service',
    },
    { props: { logLevel: 'trace' as 'debug' }, says: 'logLevel is "trace"', reason: 'its log has no such level' },
    { props: { namespaces: [] }, says: 'namespaces is empty', reason: 'it may work nowhere' },
    { props: { namespaces: ['a', 'a'] }, says: 'namespaces has "a" twice', reason: 'a namespace comes twice' },
    { props: { namespaces: ['A_b'] }, says: 'namespaces is "A_b"', reason: 'a namespace cannot have that name' },
    { props: { kinds: [] }, says: 'kinds is empty', reason: 'it has nothing to do' },
    { props: { kinds: 1 as never }, says: 'kinds must be a list of definitions', reason: 'it has no list of kinds' },
    {
      props: { kinds: [undefined as never] },
      says: 'kinds must be a list of definitions',
      reason: 'a kind is missing',
    },
    {
      props: { kinds: [{ ...podSet, owns: undefined as never }] },
      says: 'PodSet owns: owns must be a list of handles',
      reason: 'a kind has no list of children',
    },
    {
      props: { kinds: [{ ...podSet, owns: [undefined as never] }] },
      says: 'PodSet owns: owns must be a list of handles',
      reason: 'a handle is missing',
    },
    { props: { kinds: [podSet, podSet] }, says: 'podsets.app.example.com twice', reason: 'a kind comes twice' },
    {
      props: { memoryMiB: 100 },
      says: 'memoryMiB is 100 [memory]; expected a whole number from 128 to 65536: the process takes 108 MiB at its start (106 for Node.js and the loop, 1.6 × 1 kind)',
      reason: 'the process has too little memory',
    },
    { props: { memoryMiB: 200.5 }, says: 'memoryMiB is 200.5', reason: 'memory is no whole number' },
    { props: { network: { apiServer: [] } }, says: 'apiServer is empty', reason: 'no API server can be reached' },
    { props: { network: { apiServer: ['10.0.0.1'] } }, says: '10.0.0.1/32', reason: 'an address has no prefix' },
    { props: { network: { apiServer: ['10.0.0.1/33'] } }, says: '"10.0.0.1/33"', reason: 'a prefix is too long' },
    { props: { network: { apiServerPorts: [] } }, says: 'apiServerPorts is empty', reason: 'no port is open' },
    { props: { network: { apiServerPorts: [0] } }, says: 'apiServerPorts has 0', reason: 'a port is 0' },
    { props: { image: '' }, says: 'image is ""', reason: 'there is no image' },
    { props: { image: 'a b' }, says: 'image is "a b"', reason: 'the image has a space' },
    { props: { image: 'r.io/a@sha256:…' }, says: 'image is "r.io/a@sha256:…"', reason: 'the digest is incomplete' },
    { props: { image: 'r.io/a@latest' }, says: 'image is "r.io/a@latest"', reason: 'the digest is a tag' },
    { props: { name: 'Not_A_Label' }, says: 'name is "Not_A_Label"', reason: 'the name is no DNS label' },
    { props: { namespace: 'a'.repeat(64) }, says: 'namespace is', reason: 'the namespace is too long' },
    { props: { namespace: 'kube-system' }, says: 'belongs to the cluster', reason: 'the namespace is the cluster’s' },
    { props: { namespace: 'default' }, says: 'belongs to the cluster', reason: 'the namespace is everybody’s' },
  ])('Operator refuses its props when $reason, naming the construct', ({ props, says }) => {
    expect(() => manifests(props)).toThrow(InvalidOperatorError);
    expect(() => manifests(props)).toThrow(says);
    expect(() => manifests(props)).toThrow('construct path "chart/operator"');
  });

  it('Operator refuses a kind that cannot become a CRD', () => {
    expect(() => manifests({ kinds: [{ ...podSet, group: 'nodots' }] })).toThrow(InvalidOperatorError);
  });
});
