import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { plainFailure } from '#lib/apiserver/machinery/status.ts';
import { goPlain as goValue } from '#lib/apiserver/machinery/text/go-format.ts';
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

/** Returns the value that a patch adds where the document has no value: the value without directives and null members. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.filter((item) => !isPlainObject(item) || item[DIRECTIVE] === undefined).map(plain);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).filter(([name, member]) => !isDirective(name) && member !== null);
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
    if (isPlainObject(item) && (item[mergeKey] !== undefined || item[DIRECTIVE] === 'replace')) continue;
    throw plainFailure(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
  }
};

const mergeList = (
  original: readonly unknown[],
  patch: readonly unknown[],
  schema: StructuralSchema | undefined,
): unknown => {
  if (!strategiesOf(schema).includes('merge')) return plain(patch);
  const mergeKey =
    patch.some(isPlainObject) || original.some(isPlainObject)
      ? (wordsOf(schema)['x-kubernetes-patch-merge-key'] ?? '')
      : '';
  checkKeyed(patch, mergeKey);
  const same = sameBy(mergeKey);
  const directives = patch.filter(
    (item) => isPlainObject(item) && item[DIRECTIVE] !== undefined,
  ) as readonly JsonObject[];
  const changes = patch.filter((item) => !isPlainObject(item) || item[DIRECTIVE] === undefined);
  if (directives.some((item) => item[DIRECTIVE] === 'replace')) return plain(changes);
  const isDeleted = (item: unknown): boolean =>
    directives.some((each) => each[DIRECTIVE] === 'delete' && same(each, item));
  const items = original.filter((item) => !isDeleted(item));
  for (const change of changes) {
    const at = indexIn(items, change, same);
    const live = items[at];
    if (at < 0) items.push(plain(change));
    else if (isPlainObject(live) && isPlainObject(change)) items[at] = mergeMap(live, change, itemSchema(schema));
  }
  return ordered(items, { order: changes, before: original, same });
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
      const mergeKey = list.some(isPlainObject)
        ? (wordsOf(memberSchema(schema, name))['x-kubernetes-patch-merge-key'] ?? '')
        : '';
      if (Array.isArray(items)) {
        result[name] = ordered(items, {
          order: list,
          before: Array.isArray(before) ? before : [],
          same: sameBy(mergeKey),
        });
      }
    }
  }
};

const mergeMember = (live: unknown, change: unknown, schema: StructuralSchema | undefined): unknown => {
  if (isPlainObject(live) && isPlainObject(change)) {
    return strategiesOf(schema).includes('replace') ? plain(change) : mergeMap(live, change, schema);
  }
  return Array.isArray(live) && Array.isArray(change) ? mergeList(live, change, schema) : plain(change);
};

function mergeMap(original: JsonObject, patch: JsonObject, schema: StructuralSchema | undefined): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive === 'replace') return plain(patch) as JsonObject;
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') {
    throw plainFailure(`unknown patch type: ${goValue(directive)} in map: ${goValue(patch)}`);
  }
  const kept = patch[RETAIN];
  const result: Members = Object.fromEntries(
    Object.entries(original).filter(([name]) => !Array.isArray(kept) || kept.includes(name)),
  );
  obeyDirectives(result, original, { patch: onlyDeletions(patch), schema });
  for (const [name, change] of Object.entries(patch)) {
    if (isDirective(name)) continue;
    if (change === null) delete result[name];
    else
      result[name] = Object.hasOwn(result, name)
        ? mergeMember(result[name], change, memberSchema(schema, name))
        : plain(change);
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
