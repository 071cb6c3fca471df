import { emptySet, type FieldNode, type FieldSet, nodeAt, setOf } from '../fields/field-set.ts';
import { memberElement } from '../fields/path-element.ts';
import { isList, isMap, memberNames } from '../fields/value.ts';
import { type Atom, type ListType, type MapType, memberAtom, shapeOf } from './atom.ts';
import { listElement } from './list-element.ts';

const removeMembers = (map: MapType, value: Readonly<Record<string, unknown>>, gone: FieldSet): unknown => {
  const left: [string, unknown][] = [];
  let isSame = true;
  for (const name of memberNames(value)) {
    const member = value[name];
    const node = nodeAt(gone, memberElement(name));
    if (node !== undefined) isSame = false;
    if (node?.isMember === true) continue;
    const atom = memberAtom(map, name);
    left.push([name, node === undefined || atom === undefined ? member : removeBelow(atom, member, node.children)]);
  }
  if (left.length === 0) return null;
  return isSame ? value : Object.fromEntries(left);
};

const removeItems = (list: ListType, items: readonly unknown[], gone: FieldSet): unknown => {
  const left: unknown[] = [];
  for (const item of items) {
    const element = listElement(list, item);
    const node = typeof element === 'string' ? undefined : nodeAt(gone, element);
    if (node?.isMember !== true) left.push(node === undefined ? item : removeBelow(list.element, item, node.children));
  }
  return left.length === 0 ? null : left;
};

/** Removes fields below a value. A part without remaining fields, or an atomic part, becomes null. */
const removeBelow = (atom: Atom, value: unknown, gone: FieldSet): unknown => {
  const shape = shapeOf(atom, value);
  if (shape === 'scalar') return value;
  if (shape === 'list') {
    const { list } = atom;
    return list?.isAtomic === false && isList(value) && value.length > 0 ? removeItems(list, value, gone) : null;
  }
  return atom.map?.isAtomic === false && isMap(value) ? removeMembers(atom.map, value, gone) : null;
};

/**
 * Removes fields and elements from a value.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/remove.go
 */
export const removeFields = (atom: Atom, value: unknown, gone: FieldSet): unknown =>
  gone.length === 0 ? value : removeBelow(atom, value, gone);

const belowAtom = (atom: Atom | undefined, { element }: FieldNode): Atom | undefined => {
  if (element.rank === 0) return atom?.map && memberAtom(atom.map, element.name);
  return element.rank === 1 ? atom?.list?.element : undefined;
};

/**
 * Adds the declared ancestors of the members of a set. For example, if the set contains the field `spec.replicas`, adds `spec`.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 fieldpath/set.go (`EnsureNamedFieldsAreMembers`)
 */
export const withNamedFields = (set: FieldSet, atom: Atom | undefined): FieldSet => {
  if (set.length === 0) return emptySet;
  const fields = atom?.map?.fields;
  return setOf(
    set.map((node) => ({
      element: node.element,
      isMember: node.isMember || (node.element.rank === 0 && fields?.has(node.element.name) === true),
      children: withNamedFields(node.children, belowAtom(atom, node)),
    })),
  );
};
