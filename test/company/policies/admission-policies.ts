import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { ask } from './site.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

interface Mutation {
  readonly resources: readonly (readonly [group: string, resource: string])[];
  readonly operations: readonly string[];
  /** An apply configuration, in CEL. */
  readonly expression: string;
}

const mutations: Readonly<Record<string, Mutation>> = {
  policyLabels: {
    resources: [
      ['', 'pods'],
      ['apps', 'deployments'],
    ],
    operations: ['CREATE', 'UPDATE'],
    expression: 'Object{metadata: Object.metadata{labels: {"cost-center": "k42"}}}',
  },
  policySidecar: {
    resources: [['', 'pods']],
    operations: ['CREATE'],
    expression:
      'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "agent", image: "agent:1", restartPolicy: "Always"}]}}',
  },
};

const policyOf = (name: string, { resources, operations, expression }: Mutation): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingAdmissionPolicy',
  metadata: { name: name.toLowerCase() },
  spec: {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'IfNeeded',
    matchConstraints: {
      namespaceSelector: { matchLabels: { hook: name } },
      resourceRules: resources.map(([group, resource]) => ({
        apiGroups: [group],
        apiVersions: ['v1'],
        resources: [resource],
        operations,
      })),
    },
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
  },
});

const bindingOf = (name: string): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name: name.toLowerCase() },
  spec: { policyName: name.toLowerCase() },
});

const container = {
  type: 'Container',
  default: { cpu: '20m', memory: '64Mi' },
  defaultRequest: { cpu: '10m', memory: '32Mi' },
};
const limitRange = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits: [container] } };
const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec: { hard: { 'requests.cpu': '20', 'limits.memory': '20Gi', pods: '100' } },
};

/** Features of the API server that change pods, by the label of the namespaces in which they do. */
export const builtInPolicies = [...Object.keys(mutations), 'limitRange', 'quota'] as const;

/** Installs the admission policies. */
export const installPolicies = async (plane: ControlPlane): Promise<void> => {
  for (const [name, mutation] of Object.entries(mutations)) {
    await ask(plane, 'POST', `${ADMISSION}/mutatingadmissionpolicies`, policyOf(name, mutation));
    await ask(plane, 'POST', `${ADMISSION}/mutatingadmissionpolicybindings`, bindingOf(name));
  }
};

/** Creates the objects that a namespace of {@link builtInPolicies} contains. */
export const fillNamespace = async (plane: ControlPlane, policy: string, namespace: string): Promise<void> => {
  const path = `/api/v1/namespaces/${namespace}`;
  if (policy === 'limitRange' || policy === 'quota') await ask(plane, 'POST', `${path}/limitranges`, limitRange);
  if (policy === 'quota') await ask(plane, 'POST', `${path}/resourcequotas`, quota);
};
