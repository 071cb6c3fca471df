import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import type { ActorContext } from '../../context.ts';
import { matchesNode, requiredTerms, type SelectableNode } from '../../nodes/node-affinity.ts';
import type { VirtualNodes } from '../../nodes/nodes.ts';
import { type Taint, tolerates, UNSCHEDULABLE } from '../../nodes/tolerations.ts';
import type { PodSpec, StoredPod, Toleration } from '../../workload.ts';
import type { StoredDaemonSet } from './stored-sets.ts';

/** The fields of a node that the DaemonSet controller uses. */
export interface DaemonNode extends SelectableNode {
  readonly taints: readonly Taint[];
}

type StoredNode = ServerObject & { readonly spec?: { readonly taints?: readonly Taint[] } };

/** Returns the stored nodes, and the virtual nodes without a stored object, ordered by name. */
export const daemonNodes = ({ informers }: ActorContext, nodes: VirtualNodes): readonly DaemonNode[] => {
  const stored = (informers.of(resources.nodes).list() as readonly StoredNode[]).map(
    ({ metadata, spec }): DaemonNode => ({ name: metadata.name, labels: metadata.labels, taints: spec?.taints ?? [] }),
  );
  const names = new Set(stored.map(({ name }) => name));
  const others = nodes.all
    .filter(({ name }) => !names.has(name))
    .map(
      ({ name, labels }): DaemonNode => ({ name, labels: { 'kubernetes.io/hostname': name, ...labels }, taints: [] }),
    );
  return [...stored, ...others].toSorted((a, b) => byText(a.name, b.name));
};

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
export const nodeFitness = (node: DaemonNode, { spec: { template } }: StoredDaemonSet): NodeFitness => {
  const spec = template.spec as unknown as PodSpec;
  const isNamed = (spec.nodeName ?? '') === '' || spec.nodeName === node.name;
  if (!isNamed || !matchesNode(spec, node)) return { shouldRun: false, shouldContinue: false };
  const tolerations = daemonTolerations(spec);
  const hasTaint = (...effects: readonly string[]): boolean =>
    node.taints.some((taint) => effects.includes(taint.effect) && !tolerates(tolerations, taint));
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
