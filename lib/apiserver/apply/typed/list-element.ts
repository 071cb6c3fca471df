import { goQuote } from '#lib/apiserver/machinery/text/go-text.ts';
import { memberOf } from '#lib/json.ts';
import { type KeyField, keyElement, type PathElement, valueElement } from '../fields/path-element.ts';
import { isList, isMap } from '../fields/value.ts';
import type { ListType } from './atom.ts';

const noElement = "associative list without keys has an element that's an explicit null" as const;

const setElement = (item: unknown): PathElement | string => {
  if (isMap(item)) return "associative list without keys has an element that's a map type";
  if (isList(item)) return 'not supported: associative list with lists as elements';
  return item === null ? noElement : valueElement(item);
};

const keyedElement = ({ keys, element }: ListType, item: unknown): PathElement | string => {
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isMap(item)) return 'associative list with keys may not have non-map elements';
  const fields: KeyField[] = [];
  for (const name of keys) {
    const value = memberOf(item, name);
    if (value === undefined && element.map === undefined) {
      return `couldn't find default value for ${name}: associative list may not have non-map types`;
    }
    const known = value === undefined ? element.map?.fields.get(name)?.default : value;
    if (known !== undefined && (known !== null || value === null)) fields.push([name, known]);
  }
  if (fields.length > 0) return keyElement(fields);
  const names = keys.map(goQuote).join(' ');
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
};

/**
 * Identifies an element of an associative list by its keys or its value. If the element has no identity, returns a string with
 * the reason.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/helpers.go (`listItemToPathElement`)
 */
export const listElement = (list: ListType, item: unknown): PathElement | string =>
  list.keys.length > 0 ? keyedElement(list, item) : setElement(item);

/**
 * Returns the elements of a list in order, with their identities. Skips elements without identity, because validation refuses
 * them.
 */
export const listElements = (list: ListType, items: readonly unknown[]): (readonly [PathElement, unknown])[] => {
  const pairs: (readonly [PathElement, unknown])[] = [];
  for (const item of items) {
    const element = listElement(list, item);
    if (typeof element !== 'string') pairs.push([element, item]);
  }
  return pairs;
};

/** Returns the elements of a list by identity, in order. Duplicates are elements with the same identity. */
export const groupedElements = (
  list: ListType,
  items: readonly unknown[],
): Map<string, [PathElement, ...unknown[]]> => {
  const groups = new Map<string, [PathElement, ...unknown[]]>();
  for (const [element, item] of listElements(list, items)) {
    const group = groups.get(element.text);
    if (group === undefined) groups.set(element.text, [element, item]);
    else group.push(item);
  }
  return groups;
};
