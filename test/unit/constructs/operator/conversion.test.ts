import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { greeting } from '#test/examples/greeting.ts';
import { made } from './made.ts';

const kinds = [greeting];
const certManager = { kinds, conversion: { certificate: 'cert-manager' } } as const satisfies Partial<OperatorProps>;

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

type Deployment = { template: { spec: { containers: Container[]; volumes: { name: string; secret?: object }[] } } };

const containerOf = (props: Partial<OperatorProps>): Container | undefined =>
  made<Deployment>('Deployment', props)[0]?.spec.template.spec.containers[0];

/** The warnings about memory. */
const warningsOf = (props: Partial<OperatorProps>): readonly string[] =>
  new Operator(new Chart(new App(), 'chart'), 'operator', { kinds, image: 'a:1', ...props }).warnings.filter((each) =>
    each.includes('memoryMiB'),
  );

interface Policy {
  readonly matchConstraints: { readonly matchPolicy: string; readonly resourceRules: readonly object[] };
}

describe('Operator of a kind whose versions need functions', () => {
  it('names its Service in the CRD, and opens the port of the pods to it', () => {
    const [crd] = made<{ conversion: object }>('CustomResourceDefinition', { kinds });
    expect(crd?.spec.conversion).toMatchObject({
      strategy: 'Webhook',
      webhook: { clientConfig: { service: { name: 'op-conversion', namespace: 'op', path: '/convert', port: 443 } } },
    });
    const service = made<object>('Service', { kinds }).find(({ metadata }) => metadata.name === 'op-conversion');
    expect(service?.spec).toMatchObject({
      publishNotReadyAddresses: true,
      ports: [{ port: 443, targetPort: 'conversion' }],
    });
    expect(containerOf({ kinds })?.ports).toContainEqual({ name: 'conversion', containerPort: 9443, protocol: 'TCP' });
    expect(containerOf({ kinds })?.env).toContainEqual({ name: 'CONVERSION_SERVICE', value: 'op-conversion' });
    const [policy] = made<{ ingress: { ports: object[] }[] }>('NetworkPolicy', { kinds });
    expect(policy?.spec.ingress.flatMap(({ ports }) => ports)).toContainEqual({ port: 9443, protocol: 'TCP' });
  });

  it('grants one Secret and the CRDs of its own kinds, by name, and says so', () => {
    const own = (kind: string) => made(kind, { kinds }).filter(({ metadata }) => metadata.name === 'op-conversion');
    expect(own('Role')[0]?.rules).toEqual([
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['op-conversion'], verbs: ['create', 'get', 'patch'] },
    ]);
    expect(own('ClusterRole')[0]?.rules).toEqual([
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        resourceNames: ['greetings.demo.example.com'],
        verbs: ['get', 'patch'],
      },
    ]);
    const roles = made('ClusterRole', { kinds }).filter(({ metadata }) => /^op(-conversion)?$/.test(metadata.name));
    expect(roles).toHaveLength(2);
    for (const { metadata } of roles)
      expect(metadata.annotations?.['cdk8s-reconcile/escalation']).toContain('may change the definitions');
  });

  it.each([
    { memoryMiB: undefined, limit: '384Mi', heap: 179 },
    { memoryMiB: 256, limit: '256Mi', heap: 179 },
    { memoryMiB: 1000, limit: '1000Mi', heap: 610 },
  ])('leaves room for the thread of conversions: $limit, of which the heap of the loop has $heap MiB', (each) => {
    const { memoryMiB, limit, heap } = each;
    const container = containerOf({ kinds, ...(memoryMiB !== undefined && { memoryMiB }) });
    expect(container?.resources.limits.memory).toBe(limit);
    expect(container?.env.find(({ name }) => name === 'NODE_OPTIONS')?.value).toContain(
      `--max-old-space-size=${heap} `,
    );
  });

  it('warns of a memory limit without room for the thread of conversions, and of no other', () => {
    expect(warningsOf({ memoryMiB: 383 })).toEqual([
      'memoryMiB is 383, and functions convert versions in a thread of up to 128 MiB beside the heap of 268 MiB: under load the container exceeds its limit and is ended (OOMKilled), and writes of these kinds fail meanwhile. Set memoryMiB to 384 or more, or leave it out',
    ]);
    for (const props of [{ memoryMiB: 384 }, {}, { kinds: [podSet], memoryMiB: 128 }])
      expect(warningsOf(props)).toEqual([]);
  });

  it('protects what the webhook keeps in every version, and judges what is stored in the version of the definition', () => {
    const policies = made<Policy>('ValidatingAdmissionPolicy', { kinds });
    const [kept, converted] = ['op-kept', 'op-converted'].map((name) =>
      policies.find(({ metadata }) => metadata.name === name),
    );
    expect(kept?.spec.matchConstraints.resourceRules).toMatchObject([{ apiVersions: ['*'], operations: ['UPDATE'] }]);
    expect(converted?.spec.matchConstraints).toMatchObject({
      matchPolicy: 'Equivalent',
      resourceRules: [{ apiVersions: ['v1beta1'], operations: ['CREATE', 'UPDATE'] }],
    });
    const bindings = made<{ validationActions: string[] }>('ValidatingAdmissionPolicyBinding', { kinds });
    expect(bindings.map(({ spec }) => spec.validationActions)).toEqual([['Deny'], ['Deny']]);
    expect(made('ValidatingAdmissionPolicy', { podGuard: false })).toEqual([]);
  });

  it('leaves certificates to cert-manager when set so, and grants nothing for them', () => {
    const [crd] = made('CustomResourceDefinition', certManager);
    expect(crd?.metadata.annotations).toMatchObject({ 'cert-manager.io/inject-ca-from': 'op/op-conversion' });
    expect(made('Certificate', certManager)[0]?.spec).toMatchObject({
      secretName: 'op-conversion',
      dnsNames: ['op-conversion.op.svc'],
      subject: { organizations: [expect.stringMatching(/./)] },
    });
    expect(made('Issuer', certManager)).toHaveLength(1);
    const roles = [...made('Role', certManager), ...made('ClusterRole', certManager)];
    expect(roles.filter(({ metadata }) => metadata.name === 'op-conversion')).toEqual([]);
    const [deployment] = made<Deployment>('Deployment', certManager);
    expect(deployment?.spec.template.spec.volumes.map(({ name }) => name)).toContain('conversion');
    expect(containerOf(certManager)?.volumeMounts.map(({ name }) => name)).toContain('conversion');
  });
});

const named = (length: number, props: Partial<OperatorProps> = {}) =>
  made('Service', { name: 'o'.repeat(length), ...props });

describe('Operator of a name from which names of Services are made', () => {
  it('accepts what leaves room for them', () => {
    expect(named(52, { kinds })).toHaveLength(2);
    expect(named(55)).toHaveLength(1);
  });

  it.each([
    { what: '53 characters with a webhook', make: () => named(53, { kinds }), says: 'at most 52 characters' },
    { what: '56 characters without', make: () => named(56), says: 'at most 55 characters' },
    { what: 'a digit at its beginning', make: () => made('Service', { name: '1op' }), says: 'begin it with a letter' },
  ])('refuses $what, and says what helps', ({ make, says }) => {
    expect(make).toThrow(/cannot be the name of a Service/);
    expect(make).toThrow(says);
  });
});

describe('Operator of kinds whose versions need no functions', () => {
  it('has nothing of a webhook', () => {
    const kindsOf = ['Service', 'Role', 'ClusterRole', 'Certificate'].flatMap((kind) => made(kind));
    expect(kindsOf.map(({ metadata }) => metadata.name)).not.toContain('op-conversion');
    expect(containerOf({})?.ports.map(({ name }) => name)).toEqual(['health', 'metrics']);
  });
});
