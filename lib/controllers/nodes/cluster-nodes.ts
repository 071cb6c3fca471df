import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { equalJson } from '#lib/json.ts';
import type { ActorContext } from '../context.ts';
import type { SelectableNode } from './node-affinity.ts';
import type { VirtualNodes } from './nodes.ts';
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

/** Returns the stored nodes, and the virtual nodes without a stored object, ordered by name. */
export const clusterNodes = ({ informers }: ActorContext, nodes: VirtualNodes): readonly ClusterNode[] => {
  const stored = (informers.of(resources.nodes).list() as readonly StoredNode[]).map(
    ({ metadata, spec }): ClusterNode => ({
      name: metadata.name,
      labels: metadata.labels,
      taints: spec?.taints ?? [],
      isCordoned: spec?.unschedulable === true,
    }),
  );
  const names = new Set(stored.map(({ name }) => name));
  const others = nodes.all
    .filter(({ name }) => !names.has(name))
    .map(
      ({ name, labels, isCordoned = false }): ClusterNode => ({
        name,
        labels: { 'kubernetes.io/hostname': name, ...labels },
        taints: [],
        isCordoned,
      }),
    );
  return [...stored, ...others].toSorted((a, b) => byText(a.name, b.name));
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
