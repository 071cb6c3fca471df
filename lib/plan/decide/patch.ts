import { isPlainObject } from '#lib/json.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { ElementSteps } from '#lib/plan/fields/elements.ts';
import type { FieldTree } from '#lib/plan/fields/pin.ts';
import type { Child, PatchOperation } from '#lib/plan/step.ts';

/** A child, its handle, and its intent. */
export interface PatchInput {
  readonly kind: KindRef;
  readonly live: Child;
  readonly wanted: KubeObject;
  /** The resource version that the live object must still have; undefined if any version is acceptable. */
  readonly resourceVersion: string | undefined;
}

/** Appends a member name or an element index to a JSON pointer (RFC 6901). */
export const pointer = (path: string, step: string | number): string =>
  `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;

const maps = ['labels', 'annotations'] as const;

/** The removals of labels and annotations that the operator owns and the intent no longer has. */
const removals = ({ live, wanted }: PatchInput): PatchOperation[] =>
  maps.flatMap((map) => {
    const owned = Object.keys(live.owned?.set.tree['f:metadata']?.[`f:${map}`] ?? {});
    const there = live.object.metadata?.[map] ?? {};
    return (
      owned
        .map((step) => step.slice('f:'.length))
        // A JSON patch that removes an absent member fails, and managed fields may still list a label that another client has
        // removed. The patch therefore removes only labels that the object has. Annotations are not checked, because the cache
        // does not keep all of them.
        .filter(
          (name) =>
            (map === 'annotations' || Object.hasOwn(there, name)) && !Object.hasOwn(wanted.metadata?.[map] ?? {}, name),
        )
        .map((name): PatchOperation => ({ op: 'remove', path: pointer(`/metadata/${map}`, name) }))
    );
  });

interface Site {
  readonly path: string;
  readonly owner: string;
}

const setElements = (list: readonly unknown[], tree: FieldTree, { path, owner }: Site): PatchOperation[] => {
  const steps = new ElementSteps(tree);
  return list.flatMap((element, index) => {
    const [{ step } = {}] = steps.of(element, owner);
    if (step === undefined) return [{ op: 'add', path: `${path}/-`, value: element }];
    if (!isPlainObject(element)) return [];
    // Tests that the element is at this index, because another client may have inserted elements before it.
    const keys = Object.keys(JSON.parse(step.slice('k:'.length)) as object).filter((key) =>
      Object.hasOwn(element, key),
    );
    const at = pointer(path, index);
    const tests = keys.map((key): PatchOperation => ({ op: 'test', path: pointer(at, key), value: element[key] }));
    return [...tests, ...setMembers(element, tree[step] ?? {}, { path: at, owner })];
  });
};

const setMembers = (
  value: Readonly<Record<string, unknown>>,
  tree: FieldTree,
  { path, owner }: Site,
): PatchOperation[] =>
  Object.entries(value).flatMap(([name, member]) => {
    const at = pointer(path, name);
    const below = tree[`f:${name}`] ?? {};
    const hasParts = Object.keys(below).some((step) => step !== '.');
    if (hasParts && isPlainObject(member)) return setMembers(member, below, { path: at, owner });
    if (hasParts && Array.isArray(member)) return setElements(member, below, { path: at, owner });
    return [{ op: 'add', path: at, value: member }];
  });

/**
 * Returns a patch for a child that was created by POST. The patch removes the labels and annotations that the intent no longer
 * has, and sets the fields of the intent. An apply would not remove labels and annotations of a POST, because the server records
 * a POST as an update. An apply removes only fields of an earlier apply.
 *
 * Other fields that are no longer in the intent stay unchanged. A POST owns defaulted fields and sent fields, which cannot be
 * distinguished.
 *
 * @returns `undefined` if there is nothing to remove, or the kind is not `createOnce`
 */
export const patchOf = (input: PatchInput): readonly PatchOperation[] | undefined => {
  const { kind, live, wanted, resourceVersion } = input;
  const gone = kind.createOnce ? removals(input) : [];
  if (gone.length === 0) return undefined;
  const { uid } = live.object.metadata ?? {};
  const owner = wanted.metadata?.ownerReferences?.[0]?.uid ?? '';
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata: { name: _name, namespace: _namespace, ...metadata } = {},
    ...rest
  } = wanted;
  const same: PatchOperation = { op: 'test', path: '/metadata/uid', value: uid };
  const unchanged: PatchOperation[] =
    resourceVersion === undefined ? [] : [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }];
  return [
    same,
    ...unchanged,
    ...gone,
    ...setMembers({ ...rest, metadata }, live.owned?.set.tree ?? {}, { path: '', owner }),
  ];
};
