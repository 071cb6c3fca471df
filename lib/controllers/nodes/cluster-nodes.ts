import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { equalJson } from '#lib/json.ts';
import type { ActorContext } from '../context.ts';
import type { SelectableNode } from './node-affinity.ts';
import type { VirtualNode, VirtualNodes } from './nodes.ts';
import type { Taint } from './tolerations.ts';

/** The fields of a node that the scheduler and the DaemonSet controller use. */
export interface ClusterNode extends SelectableNode {
  readonly taints: readonly Taint[];
  /** Whether the node is cordoned: only pods that tolerate `node.kubernetes.io/unschedulable` are scheduled on the node. */
  readonly isCordoned: boolean;
}

type StoredNode = ServerObject & {
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
};

const ofStored = ({ metadata, spec }: StoredNode): ClusterNode => ({
  name: metadata.name,
  labels: metadata.labels,
  taints: spec?.taints ?? [],
  isCordoned: spec?.unschedulable === true,
});

/** Returns the stored node with the name of a virtual node; without a stored object, the virtual node itself. */
export const clusterNode = (
  { informers }: ActorContext,
  { name, labels, isCordoned = false }: VirtualNode,
): ClusterNode => {
  const stored: StoredNode | undefined = informers.of(resources.nodes).get(name);
  if (stored !== undefined) return ofStored(stored);
  return { name, labels: { 'kubernetes.io/hostname': name, ...labels }, taints: [], isCordoned };
};

/** Returns the stored nodes, and the virtual nodes without a stored object, ordered by name. */
export const clusterNodes = (context: ActorContext, nodes: VirtualNodes): readonly ClusterNode[] => {
  const stored = context.informers.of(resources.nodes).list() as readonly StoredNode[];
  const all = [...nodes.all.map((node) => clusterNode(context, node)), ...stored.map(ofStored)];
  const byNodeName = new Map(all.map((node) => [node.name, node]));
  return [...byNodeName.values()].toSorted((a, b) => byText(a.name, b.name));
};

const specOf = (node: ServerObject): NonNullable<StoredNode['spec']> => (node as StoredNode).spec ?? {};

/**
 * Whether a change of a stored node can change which pods run on it: its existence, labels, taints, or whether it is cordoned.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/daemon_controller.go (`shouldIgnoreNodeUpdate`)
 */
export const isOtherNode = (now: ServerObject | undefined, before: ServerObject | undefined): boolean => {
  if (!now || !before) return true;
  const [spec, old] = [specOf(now), specOf(before)];
  return (
    !equalJson(now.metadata.labels, before.metadata.labels) ||
    !equalJson(spec.taints, old.taints) ||
    spec.unschedulable !== old.unschedulable
  );
};
