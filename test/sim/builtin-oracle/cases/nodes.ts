import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const node = (name: string, spec: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `node: ${name}`,
  kind: 'Node',
  object: { metadata: { name: 'x' }, spec },
  changes,
});

const outOfService = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };

/** Nodes as users write them. */
export const nodes: readonly Case[] = [
  node('empty', {}),
  node('tainted', { taints: [outOfService], unschedulable: true }),
  node('tainted later', {}, [{ merge: { spec: { taints: [outOfService] } } }, { merge: { spec: { taints: null } } }]),
  node('wrong taints', {
    taints: [{ key: 'a b', effect: 'Never' }, { key: 'a', value: 'x y', effect: '' }, outOfService, outOfService],
  }),
];
