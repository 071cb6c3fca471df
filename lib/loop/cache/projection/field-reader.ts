import { hash } from 'node:crypto';
import { canonicalJson } from '#lib/json.ts';
import { ElementSteps } from '#lib/plan/fields/elements.ts';
import { type FieldTree, isLeaf, OWNER, type PinnedFields } from '#lib/plan/fields/pin.ts';
import { WeakValues } from './weak-values.ts';

/** One entry of a FieldsV1 node, such as `f:spec` or `k:{"name":"a"}`. */
interface Step {
  readonly step: string;
  /** The step without its prefix, which is the name of a member for `f:`. */
  readonly name: string;
  readonly below: Node;
}

interface Node {
  readonly tree: FieldTree;
  readonly isLeaf: boolean;
  readonly steps: readonly Step[];
  /** Finds the elements of a list by their keys or values; absent if no step has keys or a value. */
  readonly elements?: ElementSteps;
}

const PREFIX_LENGTH = 2;

const hasElements = (tree: FieldTree): boolean => Object.keys(tree).some((step) => /^[kv]:/.test(step));

const nodeOf = (tree: FieldTree): Node => ({
  tree,
  isLeaf: isLeaf(tree),
  steps: Object.entries(tree)
    .filter(([step]) => step !== '.')
    .map(([step, below]) => ({ step, name: step.slice(PREFIX_LENGTH), below: nodeOf(below) })),
  ...(hasElements(tree) && { elements: new ElementSteps(tree) }),
});

interface Walk {
  /** The uid of the owner, which replaces {@link OWNER} in a step. */
  readonly owner: string;
  readonly values: string[];
  /**
   * The order of the elements of each list: `<number of values before the list>:<indexes of the steps>`. Objects with different
   * orders get different sets of fields.
   */
  readonly orders: string[];
}

/** The index of the element that a step selects; -1 if no element has the keys or the value of the step. */
const placeIn = ({ elements }: Node, list: readonly unknown[], owner: string): ((step: Step) => number) => {
  const places = elements?.placesIn(list, owner);
  return ({ step, name }) => (step.startsWith('i:') ? Number(name) : (places?.get(step) ?? -1));
};

const byPlace = (a: { readonly place: number }, b: { readonly place: number }): number => a.place - b.place;

const readList = (list: readonly unknown[], node: Node, walk: Walk): void => {
  const placeOf = placeIn(node, list, walk.owner);
  const found = node.steps.map((step, index) => ({ step, index, place: placeOf(step) })).toSorted(byPlace);
  walk.orders.push(`${walk.values.length}:${found.map(({ index }) => index).join(',')}`);
  for (const { step, place } of found) read(list[place], step.below, walk);
};

const textOf = (value: unknown): string => (typeof value === 'object' ? canonicalJson(value) : JSON.stringify(value));

const read = (value: unknown, node: Node, walk: Walk): void => {
  if (value === undefined) walk.values.push('-');
  else if (typeof value !== 'object' || value === null || node.isLeaf) walk.values.push(textOf(value));
  else if (Array.isArray(value)) readList(value, node, walk);
  else for (const { name, below } of node.steps) read((value as Record<string, unknown>)[name], below, walk);
};

/** The same fields, with the steps of each list in the order of the elements in the object. */
const arranged = (value: unknown, node: Node, owner: string): FieldTree => {
  if (typeof value !== 'object' || value === null || node.isLeaf) return node.tree;
  const placeOf = Array.isArray(value) ? placeIn(node, value, owner) : (): number => 0;
  const steps = node.steps.map((step) => {
    const place = placeOf(step);
    const member: unknown = Array.isArray(value) ? value[place] : (value as Record<string, unknown>)[step.name];
    return { place, entry: [step.step, arranged(member, step.below, owner)] as const };
  });
  return Object.fromEntries(steps.toSorted(byPlace).map(({ entry }) => entry));
};

/** The fields of one object, and their values. */
export interface FieldReading {
  readonly set: PinnedFields;
  /** The values of the fields, in the order of the set. */
  readonly values: readonly string[];
}

/** Reads the fields of one tree. All objects with equal managed fields share one reader. */
class FieldReader {
  readonly #node: Node;
  /** The sets by the order of list elements. The order is part of a set, because an apply of an intent restores the order. */
  readonly #sets = new WeakValues<PinnedFields>();

  constructor(text: string) {
    this.#node = nodeOf(JSON.parse(text) as FieldTree);
  }

  read(object: object, owner: string): FieldReading {
    const walk: Walk = { owner, values: [], orders: [] };
    read(object, this.#node, walk);
    return { set: this.#setOf(object, walk), values: walk.values };
  }

  #setOf(object: object, { owner, orders }: Walk): PinnedFields {
    return this.#sets.getOrMake(orders.join(';'), () => {
      const tree = arranged(object, this.#node, owner);
      const set: PinnedFields = { id: hash('sha1', JSON.stringify(tree), 'base64url'), tree };
      readerOf.set(set, this);
      return set;
    });
  }
}

/** Readers by the text of the tree. A reader can be collected when none of its sets is in use. */
const readers = new WeakValues<FieldReader>();
/** Each set refers to its reader, so that the reader lives as long as the set. */
const readerOf = new WeakMap<PinnedFields, FieldReader>();

const readerFor = (text: string): FieldReader => readers.getOrMake(text, () => new FieldReader(text));

/** The uid of the owner as it appears in a key of an owner reference: a JSON string within a JSON string. */
const ownerKey = (uid: string): string => JSON.stringify(JSON.stringify({ uid }).slice(1, -1)).slice(1, -1);

/**
 * Replaces the uid of the owner, which is a key in the list of owner references, by a constant. Otherwise children of different
 * owners would never have equal sets.
 */
const withoutOwner = (text: string, owner: string): string => text.replaceAll(ownerKey(owner), ownerKey(OWNER));

/**
 * Reads the values of the given fields of an object. Objects with equal fields and equal orders of list elements share one set.
 *
 * @param tree - the fields, as FieldsV1
 * @param owner - the uid of the owner, which is a key in the list of owner references
 */
export const readFields = (object: object, tree: FieldTree, owner: string): FieldReading =>
  readerFor(withoutOwner(JSON.stringify(tree), owner)).read(object, owner);
