import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { BudgetShare } from './budget.ts';
import { sizeFits, sizeOf } from './size-of.ts';
import { cutTo, type Excess, excessOf, excessOfBudget } from './stub.ts';

/** The objects up to this size are not counted: a cache of many small ones grows with their number alone. */
const SMALL_BYTES = 8192;

/** How children, and objects that are looked up, are limited. */
export interface RoomLimits {
  /** All of them. */
  readonly budget: BudgetShare;
  /** Whether a controller is a resource of a kind that runs here. */
  readonly isOurs: (controller: OwnerReference) => boolean;
  /** Whether a function may look up what others own. */
  readonly isRead: boolean;
}

const excessOfRoom = ({ metadata }: CachedObject, bytes: number, limits: RoomLimits): Excess | undefined => {
  const { budget, isOurs, isRead } = limits;
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const isChild = controller !== undefined && isOurs(controller);
  // No function sees it: it is not a child, cannot be adopted, and is not looked up.
  if (controller && !isChild && !isRead) {
    budget.release(metadata.uid);
    return { by: 'budget', hasRoom: () => false };
  }
  // What others create in a namespace leaves room for the children there.
  const group = isChild ? {} : { group: 'others' };
  return excessOfBudget(budget, { uid: metadata.uid, namespace: metadata.namespace ?? '', ...group, bytes });
};

/** A projection that keeps a stub of each large object for which there is no room, or that no function sees. */
export const withRoomLimit =
  (project: Projection, limits: RoomLimits): Projection =>
  (object: ApiObject) => {
    if (excessOf(object)) return object;
    const projected = project(object);
    if ((projected as unknown) === object) return projected;
    if (sizeFits(projected, SMALL_BYTES)) {
      limits.budget.release(projected.metadata.uid);
      return projected;
    }
    const excess = excessOfRoom(projected, sizeOf(projected, Infinity), limits);
    return excess ? cutTo(object, projected, excess) : projected;
  };
