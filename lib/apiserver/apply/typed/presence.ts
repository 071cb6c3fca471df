import { emptySet, type FieldNode, type FieldSet, leafNode, setOf } from '../fields/field-set.ts';
import { memberElement, type PathElement } from '../fields/path-element.ts';
import { isList, isMap, memberNames } from '../fields/value.ts';
import { type Atom, type ListType, type MapType, memberAtom, shapeOf } from './atom.ts';
import { groupedElements } from './list-element.ts';

/** Returns the elements of a list by identity; empty for a value that is not a list. */
export const groupItems = (list: ListType, value: unknown): Map<string, [PathElement, ...unknown[]]> =>
  groupedElements(list, isList(value) ? value : []);

/** Creates the node of a value that only one of two objects has, with all fields below the value. */
export const presentNode = (element: PathElement, value: unknown, atom: Atom): FieldNode => ({
  element,
  isMember: true,
  children: presentBelow(value, atom),
});

const presentBelow = (value: unknown, atom: Atom): FieldSet => {
  const shape = shapeOf(atom, value);
  if (shape === 'map' && isMap(value) && atom.map?.isAtomic === false) return presentMembers(value, atom.map);
  if (shape === 'list' && isList(value) && atom.list?.isAtomic === false) return presentItems(value, atom.list);
  return emptySet;
};

const presentMembers = (value: Readonly<Record<string, unknown>>, map: MapType): FieldSet => {
  const nodes: FieldNode[] = [];
  for (const name of memberNames(value)) {
    const atom = memberAtom(map, name);
    if (atom !== undefined) nodes.push(presentNode(memberElement(name), value[name], atom));
  }
  return setOf(nodes);
};

const presentItems = (value: readonly unknown[], list: ListType): FieldSet => {
  const nodes: FieldNode[] = [];
  for (const [element, ...same] of groupItems(list, value).values()) {
    nodes.push(same.length > 1 ? leafNode(element) : presentNode(element, same[0], list.element));
  }
  return setOf(nodes);
};
