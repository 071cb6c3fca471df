import { isPlainObject, memberOf } from '#lib/json.ts';
import type { JsonSchema } from './json-schema.ts';

const STEP = /\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\]/gy;

/** The escapes of Go and CEL in a quoted step of a path, by the letter after the backslash. */
export const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/** The names in a path such as `.spec.replicas` or `.labels['app']`; undefined when the path is malformed. */
const stepsOf = (path: string): string[] | undefined => {
  const matches = [...path.matchAll(STEP)];
  const isWhole = matches.reduce((length, [text]) => length + text.length, 0) === path.length;
  if (!isWhole) return undefined;
  return matches.map(
    ([, plain, quoted = '']) => plain ?? quoted.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter),
  );
};

const stepInto = (schema: JsonSchema, name: string): JsonSchema | undefined => {
  if (Object.keys(schema.properties ?? {}).length > 0) return memberOf(schema.properties, name);
  return isPlainObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
};

/**
 * Follows a path of field names through a schema, as the API server does for the `fieldPath` of a rule. A path can lead through
 * fields and values of maps, but not through lists.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/schema/cel/validation.go
 * (ValidFieldPath)
 * @returns the schema at the path, or the problem, as the end of a sentence about the path
 */
export const resolveFieldPath = (schema: JsonSchema, path: string): JsonSchema | string => {
  const steps = stepsOf(path);
  if (steps === undefined) return "must consist of steps such as .name or ['name']";
  let current = schema;
  for (const [at, step] of steps.entries()) {
    const next = stepInto(current, step);
    if (next === undefined) return `does not exist: there is no field ${steps.slice(0, at + 1).join('.')}`;
    current = next;
  }
  return current;
};

const isOpen = (schema: JsonSchema): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;

/**
 * Follows the first part of a path that consists of plain field names. For `.spec.containers[*].image`, this part is
 * `.spec.containers`.
 *
 * @returns the schema at the path, or the problem. Undefined when the path continues after this part, or leads to an undeclared
 * field that the API server keeps
 */
export const resolveSimplePath = (schema: JsonSchema, path: string): JsonSchema | string | undefined => {
  const names = path.slice(1).split('.');
  let current = schema;
  for (const name of names) {
    const [plain = ''] = name.split('[');
    const next = stepInto(current, plain);
    if (next === undefined) return isOpen(current) ? undefined : `there is no field ${plain}`;
    if (plain !== name) return undefined;
    current = next;
  }
  return current;
};
