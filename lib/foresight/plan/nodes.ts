import { objectIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { VirtualNode } from '#lib/controllers/nodes/nodes.ts';
import { isPlainObject } from '#lib/json.ts';

/**
 * The time at which a node became not ready, in epoch milliseconds; `undefined` for a ready node and for one without a Ready
 * condition.
 */
const lostSinceOf = (node: ServerObject): number | undefined => {
  const { conditions } = objectIn(node, 'status');
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  const ready = all.filter(isPlainObject).find(({ type }) => type === 'Ready');
  if (ready === undefined || ready['status'] === 'True') return undefined;
  return Date.parse(String(ready['lastTransitionTime'])) || 0;
};

const nodeOf = (node: ServerObject): VirtualNode => {
  const { name, labels } = node.metadata;
  const lostSinceMs = lostSinceOf(node);
  return {
    name,
    ...(labels && { labels }),
    ...(lostSinceMs !== undefined && { lostSinceMs }),
    ...(objectIn(node, 'spec')['unschedulable'] === true && { isCordoned: true }),
  };
};

/**
 * Converts the nodes of a cluster to virtual nodes. A node that is not ready stays not ready, and a cordoned node stays cordoned.
 * A node that could not be read is derived from the pods on it. If there is no node at all, the result has one new node.
 */
export const nodesIn = (server: ApiServer): readonly VirtualNode[] => {
  const known = server.objects({ group: '', plural: 'nodes' }).map(nodeOf);
  const names = new Set(known.map(({ name }) => name));
  const used = server
    .objects({ group: '', plural: 'pods' })
    .map((pod) => objectIn(pod, 'spec')['nodeName'])
    .filter((name) => typeof name === 'string')
    .filter((name) => name !== '' && !names.has(name));
  const all = [...known, ...[...new Set(used)].map((name): VirtualNode => ({ name }))];
  return all.length === 0 ? [{ name: 'node-1' }] : all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};
