/** An object that the harness creates, and the path of its collection. */
export interface HarnessObject {
  readonly path: string;
  readonly body: {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly [key: string]: unknown };
    readonly [key: string]: unknown;
  };
}

/** The name of the only node. */
export const nodeName = 'kwok-node-0';

/** The only node: so large that the scheduler never refuses. kwok renews its lease and acts as its kubelet. */
function fakeNode(): HarnessObject['body'] {
  const resources = { cpu: '1k', memory: '1Ti', pods: '1M', 'ephemeral-storage': '1Ti' };
  const name = nodeName;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        type: 'kwok',
      },
    },
    status: { allocatable: resources, capacity: resources },
  };
}

const deletionRule = 'kwok-removes-deleted-pods';

/**
 * Refuses requests of kwok to delete a pod that no other client has deleted. kwok deletes a pod by its name, and may
 * repeat the request. By then, a new pod may have this name. A kubelet sends the uid of the pod instead.
 */
function deletionPolicy(): HarnessObject['body'] {
  const pods = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['DELETE'] };
  return {
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: deletionRule },
    spec: {
      matchConstraints: { resourceRules: [pods] },
      matchConditions: [{ name: 'sender', expression: 'request.userInfo.username == "kwok"' }],
      validations: [
        {
          expression: 'has(oldObject.metadata.deletionTimestamp)',
          message: 'kwok may remove a pod only after another client has deleted it',
        },
      ],
    },
  };
}

function deletionPolicyBinding(): HarnessObject['body'] {
  return {
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: deletionRule },
    spec: { policyName: deletionRule, validationActions: ['Deny'] },
  };
}

/** What kwok needs on the API server, in the order of creation. */
export function kwokObjects(): readonly HarnessObject[] {
  const admission = '/apis/admissionregistration.k8s.io/v1';
  return [
    { path: `${admission}/validatingadmissionpolicies`, body: deletionPolicy() },
    { path: `${admission}/validatingadmissionpolicybindings`, body: deletionPolicyBinding() },
    { path: '/api/v1/nodes', body: fakeNode() },
  ];
}
