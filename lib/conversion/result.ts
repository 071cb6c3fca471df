import { childPath, isPlainObject, membersOf } from '#lib/json.ts';
import type { VersionContent } from '#lib/kind/versions/between.ts';
import { ConversionError } from './error.ts';

/**
 * The largest depth of a value. All schemas that the API server accepts are less deep; a value that contains itself is deeper.
 */
const MAX_DEPTH = 200;
const SHOWN_LENGTH = 60;

const notJson = (value: unknown, path: string, depth = 0): string | undefined => {
  if (depth > MAX_DEPTH) return `${path.slice(0, SHOWN_LENGTH)}…`;
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
  const members: readonly (readonly [string, unknown])[] | undefined = Array.isArray(value)
    ? value.map((item: unknown, index) => [`${path}[${index}]`, item])
    : isPlainObject(value)
      ? membersOf(value).map(([name, member]) => [childPath(path, name), member])
      : undefined;
  if (members === undefined) return path;
  for (const [at, member] of members) {
    const found = notJson(member, at, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

const without = (object: object): Record<string, unknown> => Object.fromEntries(membersOf({ ...object }));

/**
 * Checks the spec and the status that a conversion function returned, and copies them.
 *
 * @param what - the step, such as `v1alpha1 to v1beta1`
 * @throws {ConversionError} when the result or the spec is not an object, or the status is present and not an object
 * @throws {ConversionError} with the first field that is not JSON
 */
export const assertContent = (what: string, result: unknown): VersionContent => {
  if (!isPlainObject(result)) throw new ConversionError(what, '', 'must return { spec, status }');
  const { spec, status = {} } = result;
  if (!isPlainObject(spec)) throw new ConversionError(what, 'spec', 'must be an object');
  if (!isPlainObject(status)) throw new ConversionError(what, 'status', 'must be an object');
  const path = notJson(spec, 'spec') ?? notJson(status, 'status');
  if (path !== undefined)
    throw new ConversionError(what, path, 'is no JSON value: numbers, texts, booleans, lists and plain objects are');
  // A member with the value undefined counts as absent, because JSON has no undefined.
  return {
    spec: JSON.parse(JSON.stringify(without(spec))) as unknown,
    status: JSON.parse(JSON.stringify(without(status))) as object,
  };
};
