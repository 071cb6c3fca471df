import type { Node as KubeNode } from 'kubernetes-types/core/v1.js';
import { OUT_OF_SERVICE } from '#constructs/immortal-container/identity.ts';
import type { Related } from '#lib/desired/observation.ts';
import { Node } from '#lib/kind/handles/reference.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';

const isOutOfService = ({ spec }: Readonly<KubeNode>): boolean =>
  spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false;

/**
 * Whether a pod cannot run any more: its node was deleted from the cluster, or a taint confirms that the node is off. A node
 * that does not respond may still run the pod.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown
 */
export const isNodeLost = ({ spec }: ObservedPod, related: Related): boolean => {
  if (spec?.nodeName === undefined || spec.nodeName === '') return false;
  const node = related.get(Node, spec.nodeName);
  return node === undefined || isOutOfService(node);
};
