import { equalJson, isPlainObject, type JsonObject, memberOf, parsedJson } from '#lib/json.ts';
import { LAST_APPLIED } from '#lib/plan/secret.ts';

/** The merge patch (RFC 7386) that sets the desired fields whose live values differ. */
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

/** The merge patch that removes fields of the last applied manifest that are no longer desired. */
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

/** The merge patch that does what two merge patches do. If both set a field, the second wins. */
export const mergedPatches = (a: JsonObject, b: JsonObject): JsonObject => {
  const both = Object.entries(b).map(([name, member]): [string, unknown] => {
    const other = memberOf(a, name);
    return [name, isPlainObject(other) && isPlainObject(member) ? mergedPatches(other, member) : member];
  });
  return { ...a, ...Object.fromEntries(both) };
};

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isPlainObject(metadata) ? metadata : {});

const annotationsOf = (object: JsonObject): JsonObject => {
  const { annotations } = metadataOf(object);
  return isPlainObject(annotations) ? annotations : {};
};

const lastApplied = (live: JsonObject): JsonObject => {
  const text = memberOf(annotationsOf(live), LAST_APPLIED);
  const parsed = typeof text === 'string' ? parsedJson(text) : {};
  return isPlainObject(parsed) ? parsed : {};
};

/**
 * An object without its status and the last applied manifest. Absent annotations and an absent namespace are added, because
 * kubectl always records both. Otherwise, a manifest without them would seem to remove them.
 */
const comparable = ({ status: _status, ...object }: JsonObject, namespace: unknown): JsonObject => {
  const { [LAST_APPLIED]: _, ...annotations } = annotationsOf(object);
  return {
    ...object,
    metadata: { ...(namespace !== undefined && { namespace }), ...metadataOf(object), annotations },
  };
};

/**
 * The merge patch of `kubectl apply`: sets desired fields, and removes fields of the last applied manifest that are no longer
 * desired. Fields of other managers stay.
 *
 * Caveats: for built-in kinds, kubectl merges lists by key (strategic merge patch). This function replaces lists, as kubectl does
 * for custom resources.
 *
 * @returns `undefined` when nothing differs
 * @see k8s.io/apimachinery pkg/util/jsonmergepatch/patch.go (`CreateThreeWayJSONMergePatch`)
 */
export const appliedPatch = (live: JsonObject, wanted: JsonObject): JsonObject | undefined => {
  const { namespace } = metadataOf(live);
  const [manifest, there] = [comparable(wanted, namespace), comparable(live, namespace)];
  const removed = removals(comparable(lastApplied(live), namespace), manifest, there);
  const patch = mergedPatches(removed, additions(there, manifest));
  const { apiVersion: _, kind: __, ...rest } = patch;
  return Object.keys(rest).length === 0 ? undefined : rest;
};
