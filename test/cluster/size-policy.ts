import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';

const API = '/apis/admissionregistration.k8s.io/v1';
const NAME = 'two-at-least';

const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingAdmissionPolicy',
  metadata: { name: NAME },
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
      ],
    },
    matchConditions: [{ name: 'small', expression: 'object.spec.replicas < 2' }],
    failurePolicy: 'Fail',
    reinvocationPolicy: 'Never',
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: 2}}' },
      },
    ],
  },
};

const bindingIn = (namespace: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name: NAME },
  spec: {
    policyName: NAME,
    matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
  },
});

/** A Deployment that the policy changes; a dry run shows whether the policy is in effect. */
const probe = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'probe' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'probe' } },
    template: { metadata: { labels: { app: 'probe' } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
  },
};

/** A policy that raises every Deployment of a namespace to at least two replicas. */
export const twoAtLeast = async (plane: ControlPlane, namespace: string): Promise<{ remove: () => Promise<void> }> => {
  await plane.request('POST', `${API}/mutatingadmissionpolicies`, policy);
  await plane.request('POST', `${API}/mutatingadmissionpolicybindings`, bindingIn(namespace));
  await waitFor('the policy to be in force', async () => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments?dryRun=All`;
    const { spec } = (await plane.request<{ spec?: { replicas?: number } }>('POST', path, probe)).body;
    return spec?.replicas === 2;
  });
  return {
    remove: async () => {
      await plane.request('DELETE', `${API}/mutatingadmissionpolicybindings/${NAME}`);
      await plane.request('DELETE', `${API}/mutatingadmissionpolicies/${NAME}`);
    },
  };
};
