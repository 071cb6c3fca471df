import { childPath, memberOf } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import type { Change, Comparison, Pair } from './change.ts';
import { defaults, merging, openness, types } from './meaning.ts';
import { bounds, rules, texts, values } from './narrowing.ts';

/** The comparisons, in the order in which their changes are reported. */
const COMPARISONS: readonly Comparison[] = [types, defaults, bounds, values, texts, rules, merging, openness];

const keepsUnknown = (schema: JsonSchema): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;

const removed = (path: string): Change => ({
  rule: 'field-removed',
  path,
  message: 'the field is gone: its stored values are lost at the next write, and manifests that have it are refused',
  fix: 'keep it, marked as deprecated in its description, or serve another version',
});

/** A field that is required now breaks manifests without it, unless it has a default. */
function* required({ path, before, after }: Pair): Iterable<Change> {
  for (const name of after.required ?? []) {
    const isNew = !before.required?.includes(name);
    if (!isNew || memberOf(after.properties, name)?.default !== undefined) continue;
    const message = 'it is required now: objects without it are refused';
    yield {
      rule: 'required-added',
      path: childPath(path, name),
      message,
      fix: 'give it a default, or leave it optional',
    };
  }
}

function* fields({ path, before, after }: Pair): Iterable<Change> {
  for (const [name, old] of Object.entries(before.properties ?? {})) {
    const here = childPath(path, name);
    const next = memberOf(after.properties, name);
    if (next) yield* compareSchemas({ path: here, before: old, after: next });
    else if (!keepsUnknown(after)) yield removed(here);
  }
}

/** Compares the schemas of the values of a map. The schema `true` allows every value. */
function* entries({ path, before, after }: Pair): Iterable<Change> {
  const [old, next] = [before.additionalProperties, after.additionalProperties];
  const here = `${path}.*`;
  if (old === undefined || old === false) return;
  if (typeof next === 'object') yield* compareSchemas({ path: here, before: old === true ? {} : old, after: next });
  else if (next !== true && !keepsUnknown(after)) yield removed(here);
}

/**
 * Lists the breaking changes between two schemas of the same field, including the changes in nested fields.
 *
 * Caveats: alternatives (such as `anyOf`) and regular expressions are compared as text. Every change of their text is a breaking
 * change, except a removal.
 */
export function* compareSchemas(pair: Pair): Iterable<Change> {
  for (const comparison of COMPARISONS) yield* comparison(pair);
  yield* required(pair);
  yield* fields(pair);
  yield* entries(pair);
  const { path, before, after } = pair;
  if (before.items && after.items)
    yield* compareSchemas({ path: `${path}[]`, before: before.items, after: after.items });
}
