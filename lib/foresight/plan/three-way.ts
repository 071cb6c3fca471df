import { equalJson, isPlainObject, type JsonObject, memberOf, parsedJson } from '#lib/json.ts';
import { LAST_APPLIED } from '#lib/plan/secret.ts';

/** RFC 7386: what has to be set so that all that is wanted is there. */
const additions = (live: JsonObject, wanted: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(wanted).flatMap(([name, member]): [string, unknown][] => {
      const there = memberOf(live, name);
      if (equalJson(there, member)) return [];
      if (!isPlainObject(member) || !isPlainObject(there)) return [[name, member]];
      const below = additions(there, member);
      return Object.keys(below).length === 0 ? [] : [[name, below]];
    }),
  );

/** What was applied last and is not wanted any more, as far as it is still there. */
const removals = (applied: JsonObject, wanted: JsonObject, live: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(applied).flatMap(([name, member]): [string, unknown][] => {
      const there = memberOf(live, name);
      if (there === undefined) return [];
      const still = memberOf(wanted, name);
      if (still === undefined) return [[name, null]];
      if (!isPlainObject(member) || !isPlainObject(still) || !isPlainObject(there)) return [];
      const below = removals(member, still, there);
      return Object.keys(below).length === 0 ? [] : [[name, below]];
    }),
  );

const merged = (a: JsonObject, b: JsonObject): JsonObject => {
  const both = Object.entries(b).map(([name, member]): [string, unknown] => {
    const other = memberOf(a, name);
    return [name, isPlainObject(other) && isPlainObject(member) ? merged(other, member) : member];
  });
  return { ...a, ...Object.fromEntries(both) };
};

const lastApplied = (live: JsonObject): JsonObject => {
  const { annotations } = live['metadata'] as { readonly annotations?: Readonly<Record<string, string>> };
  const parsed = parsedJson(memberOf(annotations, LAST_APPLIED) ?? '{}');
  return isPlainObject(parsed) ? parsed : {};
};

const withoutStatus = ({ status: _status, ...object }: JsonObject): JsonObject => object;

/**
 * The merge patch of `kubectl apply`: what is wanted and not there, and what was applied last and is wanted no more. Fields of
 * others stay.
 *
 * Caveats: kubectl merges lists of built-in kinds by their keys (strategic merge patch); here they are replaced, as in custom resources.
 *
 * @returns `undefined` when nothing differs
 * @see k8s.io/apimachinery pkg/util/jsonmergepatch/patch.go (`CreateThreeWayJSONMergePatch`)
 */
export const appliedPatch = (live: JsonObject, wanted: JsonObject): JsonObject | undefined => {
  const [manifest, there] = [withoutStatus(wanted), withoutStatus(live)];
  const patch = merged(removals(withoutStatus(lastApplied(live)), manifest, there), additions(there, manifest));
  const { apiVersion: _, kind: __, ...rest } = patch;
  return Object.keys(rest).length === 0 ? undefined : rest;
};
