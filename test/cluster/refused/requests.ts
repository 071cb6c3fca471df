import { Deployment, Pod } from '#lib/kind/handles/reference.ts';
import { type Case, refusedAtLast } from './hands.ts';
import { ConfigMap, containers, deployment, fieldManager, handle, objectOf, pod } from './objects.ts';

/** Refusals because of the request itself, or because of its time. */
export const refusedRequests: readonly Case[] = [
  {
    reason: 'the namespace is on its way out',
    expected: 'NamespaceTerminating',
    httpStatus: 403,
    provoke: async (on) => {
      await on.create(ConfigMap, {
        ...objectOf(ConfigMap, 'held'),
        metadata: { name: 'held', finalizers: ['a.example.com/b'] },
      });
      await on.plane.kubectl(['delete', 'namespace', on.namespace, '--wait=false']);
      return on.create(ConfigMap, objectOf(ConfigMap, 'a'));
    },
  },
  {
    reason: 'the namespace is gone',
    expected: 'NamespaceTerminating',
    httpStatus: 404,
    provoke: async (on) => on.create(ConfigMap, objectOf(ConfigMap, 'a'), { namespace: `${on.namespace}-gone` }),
  },
  {
    reason: 'the namespace of an apply is gone',
    expected: 'NamespaceTerminating',
    httpStatus: 404,
    provoke: async (on) => on.apply(ConfigMap, objectOf(ConfigMap, 'a'), { namespace: `${on.namespace}-gone` }),
  },
  {
    reason: 'the kind is not served',
    expected: 'Unavailable',
    httpStatus: 404,
    provoke: async (on) => {
      const Missing = handle('missing.example.com/v1', 'Missing', 'missings');
      return on.create(Missing, objectOf(Missing, 'a'));
    },
  },
  {
    reason: 'a webhook cannot be reached',
    expected: 'WebhookFailed',
    httpStatus: 500,
    provoke: async (on) => {
      const Hook = handle(
        'admissionregistration.k8s.io/v1',
        'ValidatingWebhookConfiguration',
        'validatingwebhookconfigurations',
        'Cluster',
      );
      const webhook = {
        name: 'down.example.com',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: 'https://127.0.0.1:1/' },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': on.namespace } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      };
      await on.admin.create(Hook, objectOf(Hook, on.namespace, { webhooks: [webhook] }), { fieldManager });
      return refusedAtLast(async (attempt) => on.create(ConfigMap, objectOf(ConfigMap, `c${attempt}`)));
    },
  },
  {
    reason: 'a policy denies it',
    expected: 'AdmissionDenied',
    httpStatus: 422,
    provoke: async (on) => {
      const group = 'admissionregistration.k8s.io/v1';
      const Policy = handle(group, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', 'Cluster');
      const Binding = handle(group, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', 'Cluster');
      const resourceRules = [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
      ];
      const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': on.namespace } };
      const spec = {
        matchConstraints: { resourceRules, namespaceSelector },
        validations: [{ expression: 'false', message: 'no' }],
      };
      await on.admin.create(Policy, objectOf(Policy, on.namespace, { spec }), { fieldManager });
      const binding = { policyName: on.namespace, validationActions: ['Deny'] };
      await on.admin.create(Binding, objectOf(Binding, on.namespace, { spec: binding }), { fieldManager });
      return refusedAtLast(async (attempt) => on.create(ConfigMap, objectOf(ConfigMap, `c${attempt}`)));
    },
  },
  {
    reason: 'the name is taken',
    expected: 'NameConflict',
    httpStatus: 409,
    provoke: async (on) => {
      await on.create(ConfigMap, objectOf(ConfigMap, 'a'));
      return on.create(ConfigMap, objectOf(ConfigMap, 'a'));
    },
  },
  {
    reason: 'the version is another one',
    expected: 'Unavailable',
    httpStatus: 409,
    provoke: async (on) => {
      await on.create(ConfigMap, objectOf(ConfigMap, 'a'));
      return on.apply(ConfigMap, { ...objectOf(ConfigMap, 'a'), metadata: { name: 'a', resourceVersion: '1' } });
    },
  },
  {
    reason: 'the object with this uid is gone',
    expected: 'Unavailable',
    httpStatus: 409,
    provoke: async (on) => on.apply(ConfigMap, { ...objectOf(ConfigMap, 'a'), metadata: { name: 'a', uid: 'x' } }),
  },
  {
    reason: 'another manager owns the field, and it is not forced',
    expected: 'FieldConflict',
    httpStatus: 409,
    provoke: async (on) => {
      const theirs = objectOf(ConfigMap, 'a', { data: { key: 'theirs' } });
      await on.admin.apply(ConfigMap, { namespace: on.namespace, name: 'a' }, theirs, {
        fieldManager: 'them',
        force: false,
      });
      return on.apply(ConfigMap, objectOf(ConfigMap, 'a', { data: { key: 'ours' } }), { force: false });
    },
  },
  {
    reason: 'a value is not allowed',
    expected: 'Invalid',
    httpStatus: 422,
    provoke: async (on) => on.create(Pod, pod('a', { restartPolicy: 'Sometimes' })),
  },
  {
    reason: 'a field is unknown',
    expected: 'Invalid',
    httpStatus: 400,
    provoke: async (on) => on.create(Pod, pod('a', { colour: 'blue' })),
  },
  {
    reason: 'a value has the wrong type',
    expected: 'Invalid',
    httpStatus: 400,
    provoke: async (on) => on.create(Pod, pod('a', { containers: 'none' })),
  },
  {
    reason: 'an applied field is unknown',
    expected: 'Invalid',
    httpStatus: 500,
    provoke: async (on) =>
      on.apply(Deployment, {
        ...deployment('a', 'a'),
        colour: 'blue',
      }),
  },
  {
    reason: 'an applied list names a key twice',
    expected: 'Invalid',
    httpStatus: 500,
    provoke: async (on) => on.apply(Pod, pod('a', { containers: [...containers, ...containers] })),
  },
  {
    reason: 'the request is longer than the server reads',
    expected: 'Invalid',
    httpStatus: 413,
    provoke: async (on) => on.create(ConfigMap, objectOf(ConfigMap, 'a', { data: { key: 'x'.repeat(3_200_000) } })),
  },
  {
    reason: 'the object is longer than a ConfigMap may be',
    expected: 'Invalid',
    httpStatus: 422,
    provoke: async (on) => on.create(ConfigMap, objectOf(ConfigMap, 'a', { data: { key: 'x'.repeat(1_500_000) } })),
  },
  {
    reason: 'the object is longer than etcd takes',
    expected: 'Invalid',
    httpStatus: 500,
    provoke: async (on) =>
      on.create(Pod, pod('a', { containers: [{ ...containers[0], args: ['x'.repeat(2_000_000)] }] })),
  },
];
