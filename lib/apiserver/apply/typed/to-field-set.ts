import { emptySet, type FieldNode, type FieldSet, leafNode, setOf } from '../fields/field-set.ts';
import { memberElement } from '../fields/path-element.ts';
import { isEmptyMap, isList, isMap, memberNames } from '../fields/value.ts';
import { type Atom, type ListType, type MapType, memberAtom, shapeOf } from './atom.ts';
import { groupedElements } from './list-element.ts';

/** The contribution of a value to a set: whether the value itself is a member, and the members below the value. */
interface Mention {
  readonly isMember: boolean;
  readonly children: FieldSet;
}

const leaf: Mention = { isMember: true, children: emptySet };
const noMention: Mention = { isMember: false, children: emptySet };

const mentionItems = (list: ListType, items: readonly unknown[]): FieldSet => {
  const nodes: FieldNode[] = [];
  for (const [element, ...same] of groupedElements(list, items).values()) {
    if (same.length > 1) nodes.push(leafNode(element));
    else nodes.push({ element, isMember: true, children: mention(list.element, same[0]).children });
  }
  return setOf(nodes);
};

const mentionMembers = (map: MapType, value: Readonly<Record<string, unknown>>): FieldSet => {
  const nodes: FieldNode[] = [];
  for (const name of memberNames(value)) {
    const member = value[name];
    const atom = memberAtom(map, name);
    if (atom === undefined) continue;
    const { isMember, children } = mention(atom, member);
    const isNamed = isMember || member === null || (isMap(member) && isEmptyMap(member)) || !map.fields.has(name);
    if (isNamed || children.length > 0) nodes.push({ element: memberElement(name), isMember: isNamed, children });
  }
  return setOf(nodes);
};

const mention = (atom: Atom, value: unknown): Mention => {
  const shape = shapeOf(atom, value);
  if (shape === 'scalar') return leaf;
  if (shape === 'list' && atom.list !== undefined) {
    if (atom.list.isAtomic) return leaf;
    return isList(value) ? { isMember: false, children: mentionItems(atom.list, value) } : noMention;
  }
  if (atom.map === undefined || atom.map.isAtomic) return leaf;
  return isMap(value) ? { isMember: false, children: mentionMembers(atom.map, value) } : noMention;
};

/**
 * Returns all leaves, undeclared members and list elements of a value. The applier of the value owns these fields.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/tofieldset.go
 */
export const toFieldSet = (atom: Atom, value: unknown): FieldSet => mention(atom, value).children;
