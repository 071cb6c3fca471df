import { keyPath, memberPath } from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { memberOf } from '#lib/json.ts';
import { ESCAPES } from '#lib/kind/json-schema/field-path.ts';
import { valuesSchemaOf } from './subschema.ts';

/** A normalized path and the schema at this path, or the reason why the path is invalid. */
export type RuleFieldPath = { readonly path: string; readonly schema: StructuralSchema } | { readonly problem: string };

const unescape = (text: string): string | undefined => {
  let invalid = false;
  const plain = text.replace(/\\(.)/g, (_, letter: string) => {
    invalid ||= ESCAPES[letter] === undefined;
    return ESCAPES[letter] ?? '';
  });
  return invalid ? undefined : plain;
};

const TOKENS = /[.[\]]|'(?:\\.|[^'\\])*'|[^.[\]]+/gy;

const step = (place: { path: string; schema: StructuralSchema }, name: string): RuleFieldPath => {
  const { path, schema } = place;
  const values = valuesSchemaOf(schema);
  if (schema.properties === undefined) {
    return values === undefined
      ? { problem: 'does not refer to a valid field' }
      : { path: keyPath(path, name), schema: values };
  }
  const member = memberOf(schema.properties, name);
  return member === undefined
    ? { problem: 'does not refer to a valid field' }
    : { path: memberPath(path, name), schema: member };
};

const nameIn = (token: string | undefined, close: string | undefined): { name: string } | { problem: string } => {
  if (token === undefined) return { problem: 'unexpected end of JSON path' };
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return { problem: `expected single quoted string but got ${token}` };
  }
  const name = unescape(token.slice(1, -1));
  if (name === undefined) return { problem: `invalid string literal: invalid escape char ${/\\./.exec(token)?.[0]}` };
  if (close === undefined) return { problem: 'unexpected end of JSON path' };
  return close === ']' ? { name } : { problem: `expected ] but got ${close}` };
};

/**
 * Follows a JSON path such as `.spec.ports` or `.labels['a.b']` through a schema.
 *
 * @param brackets - whether names may be in brackets
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/cel/validation.go (`ValidFieldPath`)
 */
export const followPath = (jsonPath: string, schema: StructuralSchema, brackets = true): RuleFieldPath => {
  const tokens = jsonPath.match(TOKENS) ?? [];
  let place: { path: string; schema: StructuralSchema } = { path: '', schema };
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at];
    if (token !== '.' && token !== '[') return { problem: `expected [ or . but got: ${token}` };
    if (token === '[' && !brackets) return { problem: 'array notation is not allowed' };
    const name = token === '[' ? nameIn(tokens[at + 1], tokens[at + 2]) : { name: tokens[at + 1] };
    if ('problem' in name) return name;
    if (name.name === undefined) return { problem: 'unexpected end of JSON path' };
    const next = step(place, name.name);
    if ('problem' in next) return next;
    place = next;
    at += token === '[' ? 3 : 2;
  }
  return place;
};
