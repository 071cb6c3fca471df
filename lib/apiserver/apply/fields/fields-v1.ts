import { type JsonObject, parsedJson } from '#lib/json.ts';
import { emptySet, type FieldNode, type FieldSet, setOf } from './field-set.ts';
import {
  indexElement,
  type KeyField,
  keyElement,
  memberElement,
  type PathElement,
  valueElement,
} from './path-element.ts';
import { isMap, memberNames } from './value.ts';

/** The encoded form of each set. Sets and their encoded forms never change, so several writes can share them. */
const encoded = new WeakMap<FieldSet, JsonObject>();

const nothing: JsonObject = Object.freeze({});

/**
 * Encodes a set as `fieldsV1`. The result is frozen, and its members have the same order as on the real server.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 fieldpath/serialize.go
 */
export const encodeFields = (set: FieldSet): JsonObject => {
  const known = encoded.get(set);
  if (known !== undefined) return known;
  const fields = encodeLevel(set, false);
  encoded.set(set, fields);
  return fields;
};

const encodeLevel = (set: FieldSet, isMember: boolean): JsonObject => {
  if (set.length === 0) return nothing;
  const fields: Record<string, unknown> = isMember ? { '.': nothing } : {};
  for (const { element, isMember: isChildMember, children } of set)
    fields[element.text] = encodeLevel(children, isChildMember);
  return Object.freeze(fields);
};

/**
 * Decodes a `fieldsV1`. Like the real server, the function ignores unknown kinds of path elements.
 *
 * @returns the empty set without a `fieldsV1`, or undefined for a malformed `fieldsV1`
 */
export const decodeFields = (fields: unknown): FieldSet | undefined => {
  if (fields === undefined || fields === null) return emptySet;
  if (!isMap(fields)) return undefined;
  return decodeLevel(fields)?.children;
};

interface Level {
  readonly isMember: boolean;
  readonly children: FieldSet;
}

const decodeLevel = (fields: unknown): Level | undefined => {
  if (fields === null) return { isMember: true, children: emptySet };
  if (!isMap(fields)) return undefined;
  const nodes = new Map<string, FieldNode>();
  let isMember = false;
  for (const text of memberNames(fields)) {
    if (text === '.') isMember = true;
    const element = text === '.' ? 'unknown' : parseElement(text);
    if (element === undefined) return undefined;
    if (element === 'unknown') continue;
    const level = decodeLevel(fields[text]);
    if (level === undefined) return undefined;
    nodes.set(element.text, { element, ...level });
  }
  const children = setOf([...nodes.values()]);
  return { isMember: isMember || children.length === 0, children };
};

const parseKeys = (text: string): PathElement | undefined => {
  const keys = parsedJson(text);
  if (!isMap(keys)) return undefined;
  return keyElement(memberNames(keys).map((name): KeyField => [name, keys[name]]));
};

const parseValue = (text: string): PathElement | undefined => {
  const value = parsedJson(text);
  return value === undefined ? undefined : valueElement(value);
};

/** Parses one member name of `fieldsV1`; undefined when malformed, 'unknown' for an unknown kind of path element. */
const parseElement = (text: string): PathElement | 'unknown' | undefined => {
  const rest = text.slice(2);
  if (text[1] !== ':') return undefined;
  switch (text.charAt(0)) {
    case 'f':
      return memberElement(rest);
    case 'k':
      return parseKeys(rest);
    case 'v':
      return parseValue(rest);
    case 'i':
      return /^[-+]?\d+$/.test(rest) ? indexElement(Number(rest)) : undefined;
    default:
      return 'unknown';
  }
};
