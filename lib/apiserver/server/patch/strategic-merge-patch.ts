import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { badRequest, plainFailure, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { goType, goPlain as goValue } from '#lib/apiserver/machinery/text/go-format.ts';
import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';

const DIRECTIVE = '$patch';
const RETAIN = '$retainKeys';
const ORDER = '$setElementOrder/';
const DELETE_VALUES = '$deleteFromPrimitiveList/';

type Members = Record<string, unknown>;

interface Words {
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

const wordsOf = (schema: StructuralSchema | undefined): Words => (schema ?? {}) as Words;

const strategiesOf = (schema: StructuralSchema | undefined): readonly string[] =>
  wordsOf(schema)['x-kubernetes-patch-strategy']?.split(',') ?? [];

const memberSchema = (schema: StructuralSchema | undefined, name: string): StructuralSchema | undefined => {
  const { properties, additionalProperties } = schema ?? {};
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return isPlainObject(additionalProperties) ? additionalProperties : undefined;
};

const itemSchema = (schema: StructuralSchema | undefined): StructuralSchema | undefined =>
  isPlainObject(schema?.items) ? schema.items : undefined;

const isDirective = (name: string): boolean =>
  name === DIRECTIVE || name === RETAIN || name.startsWith(ORDER) || name.startsWith(DELETE_VALUES);

const isMarked = (value: unknown): value is JsonObject => isPlainObject(value) && value[DIRECTIVE] !== undefined;

const unknownDirective = (item: JsonObject): StatusError =>
  plainFailure(`unknown patch type: ${goValue(item[DIRECTIVE])} in map: ${goValue(item)}`);

/**
 * Returns the value that a patch adds where the document has no value of its type: without directives, null members, and maps
 * with the directive `$patch`.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/strategicpatch/patch.go (`removeDirectives`)
 */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((item) => !isMarked(item)).map(plain);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => !isDirective(name) && member !== null && !isMarked(member),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]));
};

/** Whether two list items are the same item: they have equal merge keys or, in lists without a merge key, equal values. */
type Same = (a: unknown, b: unknown) => boolean;

const sameBy = (mergeKey: string): Same => {
  if (mergeKey === '') return equalJson;
  return (a, b) => isPlainObject(a) && isPlainObject(b) && equalJson(a[mergeKey], b[mergeKey]);
};

const indexIn = (list: readonly unknown[], item: unknown, same: Same): number =>
  list.findIndex((other) => same(other, item));

/**
 * Puts the items that are in the patch into the order of the patch. All other items keep their order in the document.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/strategicpatch/patch.go (`normalizeElementOrder`, `mergeSortedSlice`)
 */
const ordered = (
  items: readonly unknown[],
  {
    order,
    before,
    same,
  }: { readonly order: readonly unknown[]; readonly before: readonly unknown[]; readonly same: Same },
): readonly unknown[] => {
  const rank = (list: readonly unknown[]) => (a: unknown, b: unknown) =>
    indexIn(list, a, same) - indexIn(list, b, same);
  const isOrdered = (item: unknown): boolean => indexIn(order, item, same) >= 0;
  const right = items.filter(isOrdered).toSorted(rank(order));
  const left = items.filter((item) => !isOrdered(item)).toSorted(rank(before));
  const result: unknown[] = [];
  while (left.length > 0 && right.length > 0) {
    const [l, r] = [indexIn(before, left[0], same), indexIn(before, right[0], same)];
    result.push(l >= 0 && r >= 0 && l < r ? left.shift() : right.shift());
  }
  return [...result, ...left, ...right];
};

const checkKeyed = (items: readonly unknown[], mergeKey: string): void => {
  if (mergeKey === '') return;
  for (const item of items) {
    if (isPlainObject(item) && item[mergeKey] !== undefined) continue;
    throw plainFailure(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
  }
};

const checkDirectives = (items: readonly JsonObject[], mergeKey: string): void => {
  for (const item of items) {
    const directive = item[DIRECTIVE];
    if (directive === 'merge') throw plainFailure('merging lists cannot yet be specified in the patch');
    if (directive === 'delete') checkKeyed([item], mergeKey);
    else if (directive !== 'replace') throw unknownDirective(item);
  }
};

const mergeKeyOf = (schema: StructuralSchema | undefined, ...lists: readonly (readonly unknown[])[]): string =>
  lists.some((list) => list.some(isPlainObject)) ? (wordsOf(schema)['x-kubernetes-patch-merge-key'] ?? '') : '';

const mergeList = (
  original: readonly unknown[],
  patch: readonly unknown[],
  schema: StructuralSchema | undefined,
): unknown => {
  if (!strategiesOf(schema).includes('merge')) return patch;
  const mergeKey = mergeKeyOf(schema, patch, original);
  const same = sameBy(mergeKey);
  const directives = patch.filter(isMarked);
  const changes = patch.filter((item) => !isMarked(item));
  checkDirectives(directives, mergeKey);
  if (directives.some((item) => item[DIRECTIVE] === 'replace')) return changes;
  checkKeyed(changes, mergeKey);
  const items = original.filter((item) => !directives.some((directive) => same(directive, item)));
  for (const change of changes) {
    const at = indexIn(items, change, same);
    const live = items[at];
    if (at < 0) items.push(change);
    else if (isPlainObject(live) && isPlainObject(change)) items[at] = mergeMap(live, change, itemSchema(schema));
  }
  return ordered(items, { order: changes, before: original, same });
};

/**
 * Checks that the order of a list contains the items of the patch in the same order.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/strategicpatch/patch.go (`validatePatchWithSetOrderList`)
 */
const checkOrders = (patch: JsonObject, schema: StructuralSchema | undefined): void => {
  for (const [directive, order] of Object.entries(onlyOrders(patch))) {
    if (!Array.isArray(order)) throw plainFailure(`expected a []interface {}, but received a ${goType(order)}`);
    const name = directive.slice(ORDER.length);
    const items = patch[name];
    if (!Array.isArray(items) || order.length === 0) continue;
    const same = sameBy(mergeKeyOf(memberSchema(schema, name), order));
    const left = items.filter((item) => !isMarked(item));
    for (const item of order) if (left.length > 0 && same(left[0], item)) left.shift();
    if (left.length === 0) continue;
    throw plainFailure(
      `The order in patch list:\n${goValue(items)}\n doesn't match ${ORDER.slice(0, -1)} list:\n${goValue(order)}\n`,
    );
  }
};

/** Executes the directives of a patch that delete values from a list, or set the order of a list. */
const obeyDirectives = (
  result: Members,
  original: JsonObject,
  { patch, schema }: { readonly patch: JsonObject; readonly schema: StructuralSchema | undefined },
): void => {
  for (const [directive, values] of Object.entries(patch)) {
    if (!Array.isArray(values)) continue;
    const list = values as readonly unknown[];
    if (directive.startsWith(DELETE_VALUES)) {
      const name = directive.slice(DELETE_VALUES.length);
      const items = result[name];
      if (Array.isArray(items)) result[name] = items.filter((item) => !list.some((value) => equalJson(value, item)));
    } else if (directive.startsWith(ORDER)) {
      const name = directive.slice(ORDER.length);
      const [items, before] = [result[name], original[name]];
      if (Array.isArray(items)) {
        result[name] = ordered(items, {
          order: list,
          before: Array.isArray(before) ? before : [],
          same: sameBy(mergeKeyOf(memberSchema(schema, name), list)),
        });
      }
    }
  }
};

/** Returns the new value of a member; undefined to delete the member. */
const mergeMember = (live: unknown, change: unknown, schema: StructuralSchema | undefined): unknown => {
  if (change === null) return undefined;
  if (isPlainObject(live) && isPlainObject(change)) {
    return strategiesOf(schema).includes('replace') ? change : mergeMap(live, change, schema);
  }
  if (Array.isArray(live) && Array.isArray(change)) return mergeList(live, change, schema);
  return isMarked(change) ? undefined : plain(change);
};

/** @see k8s.io/apimachinery v0.36.4 pkg/util/strategicpatch/patch.go (`applyRetainKeysDirective`) */
const retained = (original: JsonObject, patch: JsonObject): Members => {
  const kept = patch[RETAIN];
  if (kept === undefined) return { ...original };
  const changed = Object.keys(patch).filter((name) => !isDirective(name) && patch[name] !== null);
  if (!Array.isArray(kept) || !changed.every((name) => kept.includes(name))) {
    throw badRequest('invalid patch format of retainKeys');
  }
  return Object.fromEntries(Object.entries(original).filter(([name]) => kept.includes(name)));
};

function mergeMap(original: JsonObject, patch: JsonObject, schema: StructuralSchema | undefined): JsonObject {
  const { [DIRECTIVE]: directive, ...members } = patch;
  if (directive === 'replace') return members;
  if (directive === 'delete') return {};
  if (directive !== undefined) throw unknownDirective(patch);
  const result = retained(original, patch);
  checkOrders(patch, schema);
  obeyDirectives(result, original, { patch: onlyDeletions(patch), schema });
  for (const [name, change] of Object.entries(patch)) {
    if (isDirective(name)) continue;
    const live = Object.hasOwn(result, name) ? result[name] : undefined;
    const merged = mergeMember(live, change, memberSchema(schema, name));
    if (merged === undefined) delete result[name];
    else result[name] = merged;
  }
  obeyDirectives(result, original, { patch: onlyOrders(patch), schema });
  return result;
}

const only =
  (prefix: string) =>
  (patch: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(patch).filter(([name]) => name.startsWith(prefix)));
const onlyDeletions = only(DELETE_VALUES);
const onlyOrders = only(ORDER);

/**
 * Applies a strategic merge patch. A list with the patch strategy `merge` is merged item by item, by merge key or by value. Other
 * lists are replaced. Maps are merged, unless their strategy is `replace`, or the patch has the directive `replace` or `delete`.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/strategicpatch/patch.go
 * @see https://github.com/kubernetes/community/blob/main/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 * @throws {StatusError} 500 for an inconsistent patch, as the real server does
 */
export const strategicMergePatch = (
  document: JsonObject,
  patch: JsonObject,
  schema: StructuralSchema | undefined,
): JsonObject => mergeMap(document, patch, schema);
