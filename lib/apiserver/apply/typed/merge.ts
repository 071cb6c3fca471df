import { equalJson, memberOf, setOwn } from '#lib/json.ts';
import type { PathElement } from '../fields/path-element.ts';
import { isEmptyMap, isList, isMap, memberNames } from '../fields/value.ts';
import { type Atom, type ListType, type MapType, memberAtom, shapeOf } from './atom.ts';
import { listElements } from './list-element.ts';

type Value = Readonly<Record<string, unknown>>;

const noItems: readonly unknown[] = [];

const mergeMembers = (map: MapType, live: Value, config: Value): unknown => {
  let isSame = true;
  const merged: Record<string, unknown> = {};
  for (const name of memberNames(live)) {
    const before = live[name];
    const wanted = memberOf(config, name);
    const atom = wanted === undefined || wanted === before ? undefined : memberAtom(map, name);
    const value = atom === undefined ? before : mergeValues(atom, before, wanted);
    if (value !== before) isSame = false;
    setOwn(merged, name, value);
  }
  for (const name of memberNames(config)) {
    if (memberOf(live, name) !== undefined) continue;
    isSame = false;
    setOwn(merged, name, config[name]);
  }
  return isSame ? live : merged;
};

/** Returns the items of a list by identity. Duplicates count as null, because duplicates cannot be merged. */
const indexItems = (pairs: readonly (readonly [PathElement, unknown])[]): Map<string, unknown> => {
  const items = new Map<string, unknown>();
  for (const [{ text }, item] of pairs) items.set(text, items.has(text) ? null : item);
  return items;
};

interface ListMerge {
  readonly element: Atom;
  readonly live: readonly (readonly [PathElement, unknown])[];
  readonly config: readonly (readonly [PathElement, unknown])[];
}

/**
 * Merges two lists. Elements that are in both lists get the order of the configuration. All other elements stay next to their
 * neighbors, as far as possible.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/merge.go (`visitListItems`)
 */
const mergeItems = ({ element, live, config }: ListMerge): unknown[] => {
  const liveItems = indexItems(live);
  const configItems = indexItems(config);
  const shared = config.map(([{ text }]) => text).filter((text) => liveItems.has(text));
  const merged: unknown[] = [];
  const done = new Set<string>();
  let nextShared = 0;
  let i = 0;
  let j = 0;
  const take = (text: string): void => {
    done.add(text);
    const before = liveItems.get(text);
    const wanted = configItems.get(text);
    merged.push(before === undefined ? wanted : mergeValues(element, before, wanted));
  };
  while (i < live.length || j < config.length) {
    const [liveElement, liveItem] = live[i] ?? [];
    const wanted = config[j]?.[0].text;
    if (liveElement !== undefined && wanted !== undefined) {
      if (liveElement.text === wanted) {
        take(wanted);
        i++;
        j++;
        nextShared++;
        continue;
      }
      const expected = shared[nextShared];
      if (configItems.has(liveElement.text) && expected !== undefined && expected !== liveElement.text) {
        i++;
        continue;
      }
    }
    if (liveElement !== undefined) {
      if (!configItems.has(liveElement.text)) {
        merged.push(liveItem);
        i++;
        continue;
      }
      if (done.has(liveElement.text)) i++;
    }
    if (wanted !== undefined) {
      take(wanted);
      j++;
      if (shared[nextShared] === wanted) nextShared++;
    }
  }
  return merged;
};

const mergeLists = (list: ListType, live: readonly unknown[], config: readonly unknown[]): unknown => {
  const merged = mergeItems({
    element: list.element,
    live: listElements(list, live),
    config: listElements(list, config),
  });
  const isSame = merged.length === live.length && merged.every((item, index) => item === live[index]);
  return isSame ? live : merged;
};

const keepConfig = (live: unknown, config: unknown): unknown => (equalJson(live, config) ? live : config);

/**
 * Merges a configuration into a live value. Leaf values and atomic values of the configuration replace live values. The merge
 * removes no member of a granular map, and no element of an associative list. The result shares all unchanged parts with the
 * live value, or is the live value itself.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/merge.go
 */
export const mergeValues = (atom: Atom, live: unknown, config: unknown): unknown => {
  if (live === config || config === undefined) return live;
  const shape = shapeOf(atom, config);
  if (shape === 'map' && atom.map?.isAtomic === false) {
    const [before, wanted] = [isMap(live) ? live : {}, isMap(config) ? config : {}];
    if (isEmptyMap(before) && isEmptyMap(wanted)) return keepConfig(live, config);
    const merged = mergeMembers(atom.map, before, wanted);
    return merged === before ? live : merged;
  }
  if (shape === 'list' && atom.list?.isAtomic === false) {
    const [before, wanted] = [isList(live) ? live : noItems, isList(config) ? config : noItems];
    if (before.length === 0 && wanted.length === 0) return keepConfig(live, config);
    return mergeLists(atom.list, before, wanted);
  }
  return keepConfig(live, config);
};
