import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { BudgetShare } from './budget.ts';
import { sizeOf } from './size-of.ts';
import { cutTo, type Excess, excessOf, excessOfBudget } from './stub.ts';

/** How large resources may be. */
export interface SizeLimits {
  /** One of them, as {@link sizeOf} counts, without the status. */
  readonly maxBytes: number;
  /** All of them. */
  readonly budget: BudgetShare;
}

/** A status is written by the loop, which bounds it; it must not stall the resource that it is about. */
const bytesOf = (projected: CachedObject, limit: number): number => sizeOf({ ...projected, status: undefined }, limit);

const excessIn = (projected: CachedObject, bytes: number, { maxBytes, budget }: SizeLimits): Excess | undefined => {
  const { uid, namespace = '' } = projected.metadata;
  if (bytes <= maxBytes) return excessOfBudget(budget, { uid, namespace, bytes });
  budget.release(uid);
  return { by: 'limit', limit: maxBytes };
};

/** A projection that keeps a stub of each resource that is larger than a limit, or for which there is no room. */
export const withSizeLimit =
  (project: Projection, limits: SizeLimits): Projection =>
  (object: ApiObject) => {
    if (excessOf(object)) return object;
    const projected = project(object);
    if ((projected as unknown) === object) return projected;
    const bytes = bytesOf(projected, limits.maxBytes);
    const excess = excessIn(projected, bytes, limits);
    return excess ? cutTo(object, projected, excess) : projected;
  };
