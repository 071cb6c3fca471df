import type { ClusterNode } from '../../nodes/cluster-nodes.ts';
import { matchesNode, requiredTerms } from '../../nodes/node-affinity.ts';
import { hasUntolerated, UNSCHEDULABLE } from '../../nodes/tolerations.ts';
import type { PodSpec, StoredPod, Toleration } from '../../workload.ts';
import type { StoredDaemonSet } from './stored-sets.ts';

const existing = (key: string, effect: string): Toleration => ({ key, operator: 'Exists', effect });

const TOLERATIONS: readonly Toleration[] = [
  existing('node.kubernetes.io/not-ready', 'NoExecute'),
  existing('node.kubernetes.io/unreachable', 'NoExecute'),
  existing('node.kubernetes.io/disk-pressure', 'NoSchedule'),
  existing('node.kubernetes.io/memory-pressure', 'NoSchedule'),
  existing('node.kubernetes.io/pid-pressure', 'NoSchedule'),
  existing(UNSCHEDULABLE.key, UNSCHEDULABLE.effect),
];

const isSame = (a: Toleration, b: Toleration): boolean =>
  (['key', 'operator', 'effect', 'value'] as const).every((member) => (a[member] ?? '') === (b[member] ?? ''));

/**
 * Returns the tolerations of the pods of a DaemonSet: those of the template, and those that the controller adds.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/util/daemonset_util.go (`AddOrUpdateDaemonPodTolerations`)
 */
export const daemonTolerations = (spec: PodSpec & { readonly hostNetwork?: boolean }): readonly Toleration[] => {
  const network = existing('node.kubernetes.io/network-unavailable', 'NoSchedule');
  const added = spec.hostNetwork === true ? [...TOLERATIONS, network] : TOLERATIONS;
  return added.reduce<readonly Toleration[]>((all, one) => {
    const replaced = all.map((other) => (isSame(one, other) ? one : other));
    return replaced.includes(one) ? replaced : [...replaced, one];
  }, spec.tolerations ?? []);
};

/** Whether a node is fit for a pod of a DaemonSet. */
export interface NodeFitness {
  /** Whether the node should get a pod. */
  readonly shouldRun: boolean;
  /** Whether a pod that runs on the node should stay. */
  readonly shouldContinue: boolean;
}

/**
 * Decides whether a node is fit for a pod, by the name of the node, and by the node selector, the node affinity and the
 * tolerations in the template.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/daemon_controller.go (`NodeShouldRunDaemonPod`)
 */
export const nodeFitness = (node: ClusterNode, { spec: { template } }: StoredDaemonSet): NodeFitness => {
  const spec = template.spec as unknown as PodSpec;
  const isNamed = (spec.nodeName ?? '') === '' || spec.nodeName === node.name;
  if (!isNamed || !matchesNode(spec, node)) return { shouldRun: false, shouldContinue: false };
  const tolerations = daemonTolerations(spec);
  const hasTaint = (...effects: readonly string[]): boolean => hasUntolerated(node.taints, tolerations, effects);
  return { shouldRun: !hasTaint('NoSchedule', 'NoExecute'), shouldContinue: !hasTaint('NoExecute') };
};

/**
 * Returns the name of the node of a pod, or of the only node that its affinity allows; otherwise undefined.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/util/daemonset_util.go (`GetTargetNodeName`)
 */
export const targetNode = ({ spec }: StoredPod): string | undefined => {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName;
  const fields = (requiredTerms(spec) ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const { values = [] } = fields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In') ?? {};
  return values.length === 1 ? values[0] : undefined;
};
