import { equalJson, memberOf } from '#lib/json.ts';
import { type FieldNode, type FieldSet, leafNode, setOf } from '../fields/field-set.ts';
import { memberElement, type PathElement } from '../fields/path-element.ts';
import { isEmptyMap, isList, isMap, memberNames } from '../fields/value.ts';
import {
  type Atom,
  type AtomShape,
  deducedShape,
  firstShape,
  type ListType,
  type MapType,
  memberAtom,
} from './atom.ts';
import { groupItems, presentNode } from './presence.ts';

/** The differences between two values. */
export interface FieldComparison {
  readonly removed: FieldSet;
  /** Fields that both values have, with different contents. */
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

interface Level {
  isModified: boolean;
  readonly removed: FieldNode[];
  readonly modified: FieldNode[];
  readonly added: FieldNode[];
}

interface Pair {
  readonly atom: Atom;
  readonly before: unknown;
  readonly after: unknown;
}

const newLevel = (): Level => ({ isModified: false, removed: [], modified: [], added: [] });

/** Adds the differences below an element to the enclosing level. */
const closeLevel = (level: Level, element: PathElement, above: Level): void => {
  if (level.removed.length > 0) above.removed.push({ element, isMember: false, children: setOf(level.removed) });
  if (level.added.length > 0) above.added.push({ element, isMember: false, children: setOf(level.added) });
  if (level.isModified || level.modified.length > 0) {
    above.modified.push({ element, isMember: level.isModified, children: setOf(level.modified) });
  }
};

const compareAt = (element: PathElement, pair: Pair, above: Level): void => {
  const { before, after, atom } = pair;
  if (before === after) return;
  if (before === undefined) above.added.push(presentNode(element, after, atom));
  else if (after === undefined) above.removed.push(presentNode(element, before, atom));
  else {
    const level = newLevel();
    compareBoth(pair, level);
    closeLevel(level, element, above);
  }
};

const compareLeaf = ({ before, after }: Pair, level: Level): void => {
  if (!equalJson(before, after)) level.isModified = true;
};

const compareMembers = (pair: Pair, map: MapType, level: Level): void => {
  const before = isMap(pair.before) ? pair.before : {};
  const after = isMap(pair.after) ? pair.after : {};
  if (map.isAtomic || (isEmptyMap(before) && isEmptyMap(after))) {
    compareLeaf(pair, level);
    return;
  }
  const visit = (name: string): void => {
    const atom = memberAtom(map, name);
    if (atom === undefined) return;
    compareAt(memberElement(name), { atom, before: memberOf(before, name), after: memberOf(after, name) }, level);
  };
  for (const name of memberNames(before)) visit(name);
  for (const name of memberNames(after)) if (memberOf(before, name) === undefined) visit(name);
};

const compareItems = (pair: Pair, list: ListType, level: Level): void => {
  const { before, after } = pair;
  const isEmpty = (isList(before) ? before.length : 0) + (isList(after) ? after.length : 0) === 0;
  if (list.isAtomic || isEmpty) {
    compareLeaf(pair, level);
    return;
  }
  const afters = groupItems(list, after);
  const befores = groupItems(list, before);
  for (const [text, [element, ...items]] of befores) {
    compareGroup(element, { atom: list.element, before: items, after: afters.get(text)?.slice(1) ?? [] }, level);
  }
  for (const [text, [element, ...items]] of afters) {
    if (!befores.has(text)) compareGroup(element, { atom: list.element, before: [], after: items }, level);
  }
};

interface Groups {
  readonly atom: Atom;
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

/**
 * Compares the elements with one identity in two lists. Duplicates, which a server-side apply cannot create, count as one value.
 */
const compareGroup = (element: PathElement, { atom, before, after }: Groups, level: Level): void => {
  if (before.length <= 1 && after.length <= 1) {
    compareAt(element, { atom, before: before[0], after: after[0] }, level);
  } else if (before.length > 1 && after.length > 1) {
    if (!equalJson(before, after)) level.modified.push(leafNode(element));
  } else if (before.length > 1) {
    compareAt(element, { atom, before: undefined, after: after[0] }, level);
    level.removed.push(leafNode(element));
  } else {
    compareAt(element, { atom, before: before[0], after: undefined }, level);
    level.added.push(leafNode(element));
  }
};

const compareAs = (shape: AtomShape, pair: Pair, level: Level): void => {
  const { list, map } = pair.atom;
  if (shape === 'map' && map !== undefined) compareMembers(pair, map, level);
  else if (shape === 'list' && list !== undefined) compareItems(pair, list, level);
  else compareLeaf(pair, level);
};

const compareBoth = (pair: Pair, level: Level): void => {
  const { atom, before, after } = pair;
  const shape = deducedShape(atom, after) ?? firstShape(atom);
  const other = deducedShape(atom, before) ?? firstShape(atom);
  if (other !== shape) compareAs(other, pair, level);
  compareAs(shape, pair, level);
};

/**
 * Compares two values of a type. Skips parts that are the same object.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/compare.go
 */
export const compare = (atom: Atom, before: unknown, after: unknown): FieldComparison => {
  const level = newLevel();
  if (before !== after) compareBoth({ atom, before, after }, level);
  return { removed: setOf(level.removed), modified: setOf(level.modified), added: setOf(level.added) };
};
