import { compareElements, memberElement, type PathElement } from './path-element.ts';

/** A node of a set. The element is a member of the set itself, or has members below it, or both. */
export interface FieldNode {
  readonly element: PathElement;
  readonly isMember: boolean;
  readonly children: FieldSet;
}

/**
 * A set of field paths, as a tree with sorted levels. Sets never change, so several sets can share subtrees. If the result of an
 * operation equals the first operand, the operation returns this operand itself.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 fieldpath/set.go
 */
export type FieldSet = readonly FieldNode[];

/** The empty set. */
export const emptySet: FieldSet = Object.freeze([]);

/** Creates a member without members below it. */
export const leafNode = (element: PathElement): FieldNode => ({ element, isMember: true, children: emptySet });

const compareNodes = (a: FieldNode, b: FieldNode): number => compareElements(a.element, b.element);

const isSorted = (nodes: readonly FieldNode[]): boolean => {
  let previous: FieldNode | undefined;
  for (const node of nodes) {
    if (previous !== undefined && compareNodes(previous, node) >= 0) return false;
    previous = node;
  }
  return true;
};

/** Builds a set from nodes with distinct elements, in any order. */
export const setOf = (nodes: readonly FieldNode[]): FieldSet => {
  if (nodes.length === 0) return emptySet;
  return isSorted(nodes) ? nodes : nodes.toSorted(compareNodes);
};

/** Builds a set from paths, each given as member names. */
export const setOfPaths = (paths: readonly (readonly string[])[]): FieldSet =>
  paths.reduce<FieldSet>((set, path) => union(set, setOfPath(path)), emptySet);

const setOfPath = (path: readonly string[]): FieldSet =>
  path.reduceRight<FieldSet>(
    (children, name, index) => [{ element: memberElement(name), isMember: index === path.length - 1, children }],
    emptySet,
  );

/** Combines the nodes that two sets have for one element. One of the nodes may be absent. */
type Join = (a: FieldNode | undefined, b: FieldNode | undefined) => FieldNode | undefined;

/** Combines two sets, element by element. Returns `a` itself when all its nodes are kept and no node is added. */
const joinSets = (a: FieldSet, b: FieldSet, join: Join): FieldSet => {
  const nodes: FieldNode[] = [];
  let isSame = true;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i];
    const right = b[j];
    const order = left === undefined ? 1 : right === undefined ? -1 : compareNodes(left, right);
    if (order <= 0) i++;
    if (order >= 0) j++;
    const node = join(order <= 0 ? left : undefined, order >= 0 ? right : undefined);
    if (node !== undefined) nodes.push(node);
    if (node !== (order <= 0 ? left : undefined)) isSame = false;
  }
  if (isSame) return a;
  return nodes.length === 0 ? emptySet : nodes;
};

/** Returns a node with the given contents: `node` itself if it has these contents, undefined if the contents are empty. */
const withContents = (node: FieldNode, isMember: boolean, children: FieldSet): FieldNode | undefined => {
  if (!isMember && children.length === 0) return undefined;
  if (isMember === node.isMember && children === node.children) return node;
  return { element: node.element, isMember, children };
};

const uniteNodes: Join = (a, b) => {
  if (a === undefined || b === undefined || a === b) return a ?? b;
  return withContents(a, a.isMember || b.isMember, union(a.children, b.children));
};

const intersectNodes: Join = (a, b) => {
  if (a === undefined || b === undefined) return undefined;
  return withContents(a, a.isMember && b.isMember, intersection(a.children, b.children));
};

const subtractNodes: Join = (a, b) => {
  if (a === undefined || b === undefined) return a;
  return withContents(a, a.isMember && !b.isMember, difference(a.children, b.children));
};

const subtractTrees: Join = (a, b) => {
  if (a === undefined || b === undefined) return a;
  return b.isMember ? undefined : withContents(a, a.isMember, recursiveDifference(a.children, b.children));
};

/** Returns the members of either set. */
export const union = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a.length === 0 || b.length === 0 || a === b) return a.length === 0 ? b : a;
  return joinSets(a, b, uniteNodes);
};

/** Returns the members of both sets. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a.length === 0 || b.length === 0) return emptySet;
  return a === b ? a : joinSets(a, b, intersectNodes);
};

/** Returns the members of `a` that are not in `b`. Paths below a member of `b` stay. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a.length === 0 || b.length === 0) return a;
  return a === b ? emptySet : joinSets(a, b, subtractNodes);
};

/** Returns the members of `a` that are neither in `b` nor below a member of `b`. */
export const recursiveDifference = (a: FieldSet, b: FieldSet): FieldSet =>
  a.length === 0 || b.length === 0 ? a : joinSets(a, b, subtractTrees);

/** Whether two sets have the same members. */
export const equalSets = (a: FieldSet, b: FieldSet): boolean => {
  if (a === b) return true;
  return a.length === b.length && a.every((node, index) => equalNodes(node, b[index]));
};

const equalNodes = (a: FieldNode, b: FieldNode | undefined): boolean =>
  b !== undefined && a.isMember === b.isMember && compareNodes(a, b) === 0 && equalSets(a.children, b.children);

/** Returns the node of an element at the top level of a set; undefined when absent. */
export const nodeAt = (set: FieldSet, element: PathElement): FieldNode | undefined => {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const node = set[middle];
    const order = node === undefined ? 1 : compareElements(node.element, element);
    if (order === 0) return node;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
};

/** Returns all members as paths. On each level, the members come first, and then the paths below the elements. */
export const pathsOf = (set: FieldSet, prefix: readonly PathElement[] = []): (readonly PathElement[])[] => [
  ...set.filter(({ isMember }) => isMember).map(({ element }) => [...prefix, element]),
  ...set.flatMap(({ element, children }) => (children.length === 0 ? [] : pathsOf(children, [...prefix, element]))),
];
