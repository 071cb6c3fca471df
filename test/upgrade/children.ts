import type { ControlPlane } from '#test/control-plane/control-plane.ts';

/** The parts of an object that an upgrade must not change. */
export interface StoredChild {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isBeingDeleted: boolean;
}

interface ListedObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
  };
}

const CHILD_RESOURCES = 'pods,deployments,replicasets,controllerrevisions';

/** Every object below the resources of a namespace, by `Kind/name`. */
export const childrenIn = async (plane: ControlPlane, namespace: string): Promise<ReadonlyMap<string, StoredChild>> => {
  const { stdout, stderr, code } = await plane.kubectl(['get', CHILD_RESOURCES, '-n', namespace, '-o', 'json']);
  if (code !== 0) throw new Error(`Cannot list the children: ${stderr}`);
  const { items } = JSON.parse(stdout) as { readonly items: readonly ListedObject[] };
  return new Map(
    items.map(({ kind, metadata: { name, uid, resourceVersion, deletionTimestamp } }) => [
      `${kind}/${name}`,
      { kind, name, uid, resourceVersion, isBeingDeleted: deletionTimestamp !== undefined },
    ]),
  );
};

/** The children that an upgrade replaced, removed, or is removing, and those that it added. */
export const lostOrAdded = (
  before: ReadonlyMap<string, StoredChild>,
  after: ReadonlyMap<string, StoredChild>,
): readonly string[] => [
  ...[...before].flatMap(([id, { uid, isBeingDeleted }]) => {
    const found = after.get(id);
    if (found === undefined) return [`${id} is gone`];
    if (found.uid !== uid) return [`${id} was replaced`];
    return found.isBeingDeleted && !isBeingDeleted ? [`${id} is being deleted`] : [];
  }),
  ...[...after.keys()].filter((id) => !before.has(id)).map((id) => `${id} was added`),
];
