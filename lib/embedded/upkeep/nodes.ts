import { kubernetesVersion } from '#lib/apiserver/http/paths.ts';
import { listIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { VirtualNode } from '#lib/controllers/nodes/nodes.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json.ts';

const resource = { group: '', version: 'v1', plural: 'nodes' } as const;
const options = { fieldManager: 'kubelet' };

/**
 * The capacity of a node. The values exceed any realistic sum of requests, because the scheduler does not compare requests with
 * them.
 */
const CAPACITY = { cpu: '1k', memory: '1Ti', 'ephemeral-storage': '1Ti', pods: '1k' };

/**
 * The nodes of a cluster. Their addresses begin with 10.64; addresses of pods begin at 10.128.0.1, and services use 10.0.0.0/24.
 */
export const virtualNodes = (names: readonly string[]): readonly (VirtualNode & { readonly address: string })[] =>
  names.map((name, i) => ({
    name,
    address: `10.64.${(i + 1) >> 8}.${(i + 1) & 255}`,
    labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
  }));

const statusOf = ({ name, address }: ReturnType<typeof virtualNodes>[number], nowMs: number): JsonObject => ({
  capacity: CAPACITY,
  allocatable: CAPACITY,
  addresses: [
    { type: 'InternalIP', address },
    { type: 'Hostname', address: name },
  ],
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'no container runs here: a virtual kubelet reports what a pod would do',
      lastHeartbeatTime: timestamp(nowMs),
      lastTransitionTime: timestamp(nowMs),
    },
  ],
  nodeInfo: {
    architecture: 'amd64',
    operatingSystem: 'linux',
    kubeletVersion: kubernetesVersion,
    containerRuntimeVersion: 'virtual://',
    ...Object.fromEntries(
      ['machineID', 'systemUUID', 'bootID', 'kernelVersion', 'osImage', 'kubeProxyVersion'].map((member) => [
        member,
        '',
      ]),
    ),
  },
});

const isReported = (server: ApiServer, name: string): boolean => {
  const node = server.objects(resource).find(({ metadata }) => metadata.name === name);
  return listIn(objectIn(node, 'status'), 'conditions').length > 0;
};

/**
 * Creates the Node objects of a cluster in the state ready, as kubelets do. Existing nodes with conditions stay unchanged.
 *
 * @throws {ConfigurationError} for an invalid node name
 */
export const createNodes = (server: ApiServer, names: readonly string[], nowMs: number): void => {
  for (const node of virtualNodes(names)) {
    const { name, labels } = node;
    const status = statusOf(node, nowMs);
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status };
    const { code, body: answer } = server.handle({ verb: 'create', resource, body, options });
    const isThere = code === 201 || code === 409;
    if (!isThere) throw new ConfigurationError(`Cannot create the node "${name}": ${textIn(answer, 'message')}`);
    if (isReported(server, name)) continue;
    const change = { subresource: 'status', patchType: 'merge', body: { status } } as const;
    server.handle({ verb: 'patch', resource, name, ...change, options });
  }
};
