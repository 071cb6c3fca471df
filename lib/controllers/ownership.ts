import { type LabelSelector, selects } from '#lib/apiserver/machinery/label-selector.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import { fieldManagers, requestFor } from './context.ts';
import { byKey, type Informer, objectKey } from './informer.ts';
import type { SyncController, Write } from './sync-controller.ts';

/** The owner reference of the controller of an object; undefined without a controller. */
export const controllingOwner = ({ metadata }: ServerObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

/** An owner reference that makes `owner` the controller. */
export const controllerReference = ({ apiVersion, kind, metadata }: ServerObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
});

const NONE: readonly ServerObject[] = [];

/**
 * An index of the objects of one resource, by the uid of their controller. Objects without a controller are grouped by namespace.
 */
export class OwnedIndex {
  readonly #groups = new Map<string, Map<string, ServerObject>>();
  readonly #sorted = new Map<string, readonly ServerObject[]>();

  constructor(informer: Informer) {
    informer.subscribe((now, before) => {
      if (before) this.#remove(before);
      if (now) this.#add(now);
    });
  }

  /**
   * The objects with this controller, sorted by name. The result is the same list until one of them changes, appears or
   * disappears.
   */
  ownedBy(uid: string): readonly ServerObject[] {
    return this.#list(uid);
  }

  /** The objects of a namespace without a controller, sorted by name. */
  orphansIn(namespace: string): readonly ServerObject[] {
    return this.#list(`/${namespace}`);
  }

  #groupOf(object: ServerObject): string {
    return controllingOwner(object)?.uid ?? `/${object.metadata.namespace ?? ''}`;
  }

  #list(group: string): readonly ServerObject[] {
    const known = this.#sorted.get(group);
    if (known) return known;
    const objects = this.#groups.get(group);
    if (!objects) return NONE;
    const sorted = [...objects.values()].toSorted(byKey);
    this.#sorted.set(group, sorted);
    return sorted;
  }

  #add(object: ServerObject): void {
    const name = this.#groupOf(object);
    let group = this.#groups.get(name);
    if (!group) this.#groups.set(name, (group = new Map()));
    group.set(object.metadata.uid, object);
    this.#sorted.delete(name);
  }

  #remove(object: ServerObject): void {
    const name = this.#groupOf(object);
    const group = this.#groups.get(name);
    group?.delete(object.metadata.uid);
    if (group?.size === 0) this.#groups.delete(name);
    this.#sorted.delete(name);
  }
}

interface Claim {
  /** The resource of the objects to adopt or release. */
  readonly resource: ResourceName;
  readonly noun: string;
  readonly matches: (object: ServerObject) => boolean;
  /** A finalizer to add to adopted objects, and to remove from released objects. @default none */
  readonly finalizer?: string;
}

const orNull = <T>(items: readonly T[]): readonly T[] | null => (items.length === 0 ? null : items);

/**
 * A patch of the owner references, and of the finalizer if the claim has one. The patch fails if the object has changed since it
 * was read.
 */
const ownersPatch = (
  { resource, finalizer }: Claim,
  object: ServerObject,
  { owners, isAdopted }: { readonly owners: readonly OwnerReference[]; readonly isAdopted: boolean },
): Write['request'] => {
  const others = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return requestFor(resource, object, {
    verb: 'patch',
    patchType: 'merge',
    options: { fieldManager: fieldManagers.controllers },
    body: {
      metadata: {
        uid: object.metadata.uid,
        resourceVersion: object.metadata.resourceVersion,
        ownerReferences: orNull(owners),
        ...(finalizer !== undefined && { finalizers: orNull(isAdopted ? [...others, finalizer] : others) }),
      },
    },
  });
};

/**
 * Adopts matching objects without a controller, and releases controlled objects that do not match. An owner that is being deleted
 * does neither. An object that is being deleted is not adopted.
 *
 * @returns the matching objects that `owner` controls, and whether a write failed so that the sync must be repeated
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/controller_ref_manager.go (`ClaimObject`)
 */
export function* claim(
  owner: ServerObject,
  candidates: readonly ServerObject[],
  task: Claim,
): Generator<Write, { readonly claimed: readonly ServerObject[]; readonly failed: boolean }, { code: number }> {
  const { noun, matches } = task;
  const claimed: ServerObject[] = [];
  const isDeleted = owner.metadata.deletionTimestamp !== undefined;
  let failed = false;
  for (const object of candidates) {
    const owned = controllingOwner(object) !== undefined;
    if (owned && matches(object)) claimed.push(object);
    if (isDeleted || owned === matches(object)) continue;
    if (!owned && object.metadata.deletionTimestamp !== undefined) continue;
    const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
    const owners = owned ? others : [...others, controllerReference(owner)];
    const { code } = yield {
      label: `${owned ? 'release' : 'adopt'} ${noun} ${object.metadata.namespace ?? ''}/${object.metadata.name}`,
      request: ownersPatch(task, object, { owners, isAdopted: !owned }),
    };
    if (code < 300 && !owned) claimed.push(object);
    else if (code >= 300 && code !== 404 && !(owned && code === 422)) failed = true;
  }
  return { claimed, failed };
}

type Selecting = ServerObject & { readonly spec: { readonly selector: LabelSelector } };

/**
 * Marks an owner when the owner or one of its children changes. A child without a controller marks every owner in its namespace
 * with a selector that matches the child.
 *
 * @param ignoresNew - whether a new child does not mark its controller
 */
export const markFamilies = (
  controller: SyncController,
  owners: Informer,
  children: Informer,
  { ignoresNew = false } = {},
): void => {
  const markOwners = (child: ServerObject): void => {
    const { namespace = '', labels } = child.metadata;
    const owner = controllingOwner(child);
    if (owner) controller.mark(`${namespace}/${owner.name}`);
    else
      for (const candidate of owners.list(namespace) as readonly Selecting[])
        if (selects(candidate.spec.selector, labels)) controller.mark(objectKey(candidate));
  };
  owners.subscribe((now, before) => {
    const object = now ?? before;
    if (object) controller.mark(objectKey(object));
  });
  children.subscribe((now, before) => {
    if (before) markOwners(before);
    if (now && !(ignoresNew && !before && controllingOwner(now))) markOwners(now);
  });
};
