import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { BudgetShare } from './budget.ts';
import { sizeFits, sizeOf } from './size-of.ts';
import { type Excess, excessOfBudget, withStubs } from './stub.ts';

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

const excessOfRoom = (projected: CachedObject, { budget, isOurs, isRead }: RoomLimits): Excess | undefined => {
  const { metadata } = projected;
  if (sizeFits(projected, SMALL_BYTES)) {
    budget.release(metadata.uid);
    return undefined;
  }
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const isChild = controller !== undefined && isOurs(controller);
  // No function sees it: it is not a child, cannot be adopted, and is not looked up.
  if (controller && !isChild && !isRead) {
    budget.release(metadata.uid);
    return { by: 'budget', hasRoom: () => false };
  }
  // What others create in a namespace leaves room for the children there.
  const group = isChild ? {} : { group: 'others' };
  const bytes = sizeOf(projected, Infinity);
  return excessOfBudget(budget, { uid: metadata.uid, namespace: metadata.namespace ?? '', ...group, bytes });
};

/** A projection that keeps a stub of each large object for which there is no room, or that no function sees. */
export const withRoomLimit = (project: Projection, limits: RoomLimits): Projection =>
  withStubs(project, (projected) => excessOfRoom(projected, limits));
