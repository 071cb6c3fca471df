import type { Table } from '../shell/output.ts';
import { ageOf } from './age.ts';
import type { Member, ObjectFamily } from './family.ts';
import { readinessOf } from './readiness.ts';

/** A line of a tree. */
export interface TreeRow {
  /** The branches of the tree before the label, such as `│ └─`. */
  readonly branch: string;
  /** The kind and the name, such as `PodSet/web`. */
  readonly label: string;
  readonly ready: string;
  readonly isReady: boolean;
  readonly reason: string;
  readonly age: string;
  readonly message: string;
}

/** A node of a tree, as data for `-o json` and `-o yaml`. */
export interface TreeNode {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly created: unknown;
  readonly ready: string;
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
  readonly children: readonly TreeNode[];
}

/** Converts an object and its descendants to data. */
export const nodeOf = ({ object, children }: Member): TreeNode => {
  const { apiVersion, kind, metadata } = object;
  const { ready, isReady, reason, message } = readinessOf(object);
  const { namespace, name, uid } = metadata;
  const created: unknown = Reflect.get(metadata, 'creationTimestamp');
  return {
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
    uid,
    created,
    ready,
    isReady,
    reason,
    message,
    children: children.map(nodeOf),
  };
};

const below = (node: TreeNode, lead: string, now: number): readonly TreeRow[] =>
  node.children.flatMap((child, at) => {
    const isLast = at === node.children.length - 1;
    const row = {
      ...child,
      branch: `${lead}${isLast ? '└─' : '├─'}`,
      label: labelOf(child, node),
      age: ageOf(child.created, now),
    };
    return [row, ...below(child, `${lead}${isLast ? '  ' : '│ '}`, now)];
  });

/** The kind and the name of a node, with the namespace if it is another one than that of the node above. */
const labelOf = ({ kind, name, namespace = '' }: TreeNode, above?: TreeNode): string => {
  const isElsewhere = namespace !== '' && (above?.namespace ?? namespace) !== namespace;
  return `${kind}/${name}${isElsewhere ? ` in ${namespace}` : ''}`;
};

/**
 * Converts a tree to rows, from the root down.
 *
 * @param root - the root of the tree
 * @param now - epoch milliseconds, for ages
 */
export const rowsOf = (root: TreeNode, now: number): readonly TreeRow[] => [
  { ...root, branch: '', label: labelOf(root), age: ageOf(root.created, now) },
  ...below(root, '', now),
];

/** Converts the rows of a tree to a table. */
export const treeTable = (rows: readonly TreeRow[]): Table => ({
  columns: ['NAME', 'READY', 'REASON', 'AGE', 'MESSAGE'],
  dispensable: ['MESSAGE', 'AGE', 'REASON'],
  rows: rows.map(({ branch, label, ready, reason, age, message }) => [
    `${branch}${label}`,
    ready,
    reason,
    age,
    message,
  ]),
});

/** Lines for `stderr` about kinds that could not be listed. */
export const hiddenLines = ({ hidden }: Pick<ObjectFamily, 'hidden'>): readonly string[] =>
  hidden.map(({ kind, reason }) => `children of kind ${kind} are not shown: ${reason}`);
