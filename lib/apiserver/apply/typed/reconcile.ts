import { emptySet, type FieldNode, type FieldSet } from '../fields/field-set.ts';
import { type Atom, firstShape, memberAtom } from './atom.ts';

const atomAt = (atom: Atom, { element }: FieldNode): Atom | undefined => {
  if (firstShape(atom) === 'list') return atom.list?.element;
  return atom.map && memberAtom(atom.map, element.name);
};

/** Whether a type is `__untyped_deduced_`. Field sets of such values are not adapted. */
const isDeduced = ({ map }: Atom): boolean =>
  map?.fields.size === 0 && map.element?.isAnything === true && map.element.map?.isAtomic === false;

const isAtomic = (atom: Atom): boolean => {
  if (firstShape(atom) === 'list') return atom.list?.isAtomic === true;
  return atom.map?.isAtomic === true;
};

const reconcileNode = (atom: Atom, node: FieldNode): FieldNode => {
  const below = atomAt(atom, node);
  if (below === undefined || node.children.length === 0) return node;
  if (isAtomic(below) && !isDeduced(below)) return { element: node.element, isMember: true, children: emptySet };
  const children = reconcileLevel(below, node.children);
  return children === node.children ? node : { ...node, children };
};

const reconcileLevel = (atom: Atom, set: FieldSet): FieldSet => {
  if (firstShape(atom) === 'scalar' || isDeduced(atom)) return set;
  let isSame = true;
  const nodes = set.map((node) => {
    const reconciled = reconcileNode(atom, node);
    if (reconciled !== node) isSame = false;
    return reconciled;
  });
  return isSame ? set : nodes;
};

const known = new WeakMap<FieldSet, { readonly atom: Atom; readonly reconciled: FieldSet }>();

/**
 * Adapts the field set of a manager to the current schema. If a part of the object became atomic, the manager owns this part as
 * a whole.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/reconcile_schema.go
 */
export const reconcileFieldSet = (atom: Atom, set: FieldSet): FieldSet => {
  const before = known.get(set);
  if (before?.atom === atom) return before.reconciled;
  const reconciled = isDeduced(atom) ? set : reconcileLevel(atom, set);
  known.set(set, { atom, reconciled });
  return reconciled;
};
