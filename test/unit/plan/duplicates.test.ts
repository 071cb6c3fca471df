import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isPlainObject } from '#lib/json.ts';
import { ConfigMap, Deployment, type KindRef, Pod, Service } from '#lib/kind/handles/reference.ts';
import { duplicateElements } from '#lib/plan/duplicates.ts';
import { intentOf } from '#test/unit/support/plan-inputs.ts';

const CronJob: KindRef = { apiVersion: 'batch/v1', kind: 'CronJob', plural: 'cronjobs', scope: 'Namespaced' };
const Custom: KindRef = { apiVersion: 'example.com/v1', kind: 'Custom', plural: 'customs', scope: 'Namespaced' };

const ResourceClaim: KindRef = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  scope: 'Namespaced',
};

const container = (more: object = {}) => ({ name: 'main', image: 'busybox', ...more });
const workload = (...containers: object[]) => ({ spec: { template: { spec: { containers } } } });

const pathsOf = (kind: KindRef, more: object): string[] =>
  duplicateElements(kind, intentOf(kind, 'a', more)).map(({ path }) => path);

describe('duplicateElements()', () => {
  it.each([
    {
      kind: Deployment,
      more: workload(container(), container()),
      path: 'spec.template.spec.containers[1]',
      reason: 'two containers have one name',
    },
    {
      kind: Deployment,
      more: workload(container({ ports: [{ containerPort: 80, protocol: 'TCP' }, { containerPort: 80 }] })),
      path: 'spec.template.spec.containers[0].ports[1]',
      reason: 'a port is there with and without the protocol that it has by default',
    },
    {
      kind: Deployment,
      more: workload(container({ env: [{ name: 'A' }, { name: 'B' }, { name: 'A', value: 'x' }] })),
      path: 'spec.template.spec.containers[0].env[2]',
      reason: 'a variable is set twice',
    },
    {
      kind: CronJob,
      more: { spec: { jobTemplate: { spec: { template: { spec: { volumes: [{ name: 'v' }, { name: 'v' }] } } } } } },
      path: 'spec.jobTemplate.spec.template.spec.volumes[1]',
      reason: 'the pod is two templates deep',
    },
    {
      kind: Service,
      more: { spec: { ports: [{ port: 80 }, { port: 80 }] } },
      path: 'spec.ports[1]',
      reason: 'a port of a Service is there twice',
    },
  ])('duplicateElements() names the place when $reason', ({ kind, more, path }) => {
    expect(pathsOf(kind, more)).toEqual([path]);
  });

  it.each<{ kind: KindRef; more: object; reason: string }>([
    {
      kind: Deployment,
      more: workload(container({ ports: [{ containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }] })),
      reason: 'two ports differ in the protocol',
    },
    {
      kind: Deployment,
      more: workload(container({ env: [{ name: 'A' }] }), container({ name: 'side', env: [{ name: 'A' }] })),
      reason: 'two containers have a variable each',
    },
    { kind: Deployment, more: workload(container({ command: ['a', 'a'] })), reason: 'a list is one value' },
    { kind: Pod, more: { spec: { containers: [container(), container()] } }, reason: 'POST names it better' },
    { kind: Custom, more: { spec: { ports: [{ port: 80 }, { port: 80 }] } }, reason: 'only its schema knows' },
    {
      kind: ResourceClaim,
      more: {
        spec: {
          devices: { config: [{ opaque: { driver: 'gpu', parameters: { env: [{ name: 'A' }, { name: 'A' }] } } }] },
        },
      },
      reason: 'the parameters of a driver may have any lists',
    },
    { kind: ConfigMap, more: { data: { env: 'a' } }, reason: 'there are no lists' },
    { kind: Deployment, more: workload({ image: 'a' }, { image: 'a' }), reason: 'two containers have no name' },
    {
      kind: Deployment,
      more: { spec: { template: { spec: { containers: [null, null] } } } },
      reason: 'two elements are null',
    },
    {
      kind: Deployment,
      more: { spec: { constructor: [{ a: 1 }, { a: 1 }] } },
      reason: 'every object has a member of this name',
    },
  ])('duplicateElements() finds nothing when $reason', ({ kind, more }) => {
    expect(pathsOf(kind, more)).toEqual([]);
  });

  it('duplicateElements() knows every list of elements that the API server declares below pods and Services', () => {
    const { definitions } = JSON.parse(readFileSync('lib/apiserver/builtin/codec/openapi.json', 'utf8')) as {
      readonly definitions: Readonly<Record<string, unknown>>;
    };
    const known = new Map<string, readonly string[]>();
    const seen = new Set<string>();
    const follow = (definition: string): void => {
      if (seen.has(definition)) return;
      seen.add(definition);
      collect(definitions[definition], '');
    };
    const collect = (node: unknown, name: string): void => {
      if (Array.isArray(node)) node.forEach((item) => collect(item, name));
      if (!isPlainObject(node)) return;
      if (typeof node['$ref'] === 'string') follow(node['$ref'].slice(node['$ref'].lastIndexOf('/') + 1));
      const keys = node['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
      if (keys) known.set(`${name} by ${keys.join()}`, keys);
      for (const [member, below] of Object.entries(node)) collect(below, member === 'items' ? name : member);
    };
    for (const root of ['apps.v1.Deployment', 'core.v1.Pod', 'core.v1.Service']) follow(root);
    const ofStatusOrMetadata =
      /^(?:addresses|allocatedResourcesStatus|conditions|ownerReferences|podIPs|resourceClaimStatuses|resources) /;
    const unknown = [...known].filter(([id, keys]) => {
      const [name = ''] = id.split(' ');
      const element = Object.fromEntries(keys.map((key) => [key, 'x']));
      const twice = { [name]: [element, element] };
      return (
        !ofStatusOrMetadata.test(id) &&
        ![Service, Deployment].some(
          (kind) =>
            pathsOf(kind, kind === Service ? { spec: twice } : { spec: { template: { spec: twice } } }).length > 0,
        )
      );
    });
    expect(unknown).toEqual([]);
    expect(known.size).toBeGreaterThan(15);
  });
});
