import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { BudgetShare } from './budget.ts';
import { sizeFits, sizeOf } from './size-of.ts';
import { type Excess, excessOfBudget, withStubs } from './stub.ts';

/** Objects up to this size, in bytes, are not counted: the memory of a cache of small objects depends on their number only. */
const SMALL_BYTES = 8192;

/** The memory limits of children and of objects that functions look up. */
export interface RoomLimits {
  readonly budget: BudgetShare;
  /** Whether an owner is a resource of a kind that runs in this process. */
  readonly isOurs: (owner: OwnerReference) => boolean;
  /** Whether a function may look up objects that other controllers own. */
  readonly isRead: boolean;
}

const excessOfRoom = (projected: CachedObject, { budget, isOurs, isRead }: RoomLimits): Excess | undefined => {
  const { metadata } = projected;
  if (sizeFits(projected, SMALL_BYTES)) {
    budget.release(metadata.uid);
    return undefined;
  }
  const ownerships = ownershipsOf(projected);
  const isChild = ownerships.some(({ owner }) => isOurs(owner));
  // No function sees this object: it is not a child, no resource can adopt it, and no function looks it up.
  if (ownerships.length > 0 && !isChild && !isRead) {
    budget.release(metadata.uid);
    return { by: 'budget', hasRoom: () => false };
  }
  // Objects that are not children form a separate group, so that they leave room for the children in their namespace.
  const group = isChild ? {} : { group: 'others' };
  const bytes = sizeOf(projected, Infinity);
  return excessOfBudget(budget, { uid: metadata.uid, namespace: metadata.namespace ?? '', ...group, bytes });
};

/** A projection that keeps a stub of a large object that has no room, or that no function sees. */
export const withRoomLimit = (project: Projection, limits: RoomLimits): Projection =>
  withStubs(project, (projected) => excessOfRoom(projected, limits));
