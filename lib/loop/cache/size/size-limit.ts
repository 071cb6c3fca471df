import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { BudgetShare } from './budget.ts';
import { sizeOf } from './size-of.ts';
import { type Excess, excessOfBudget, withStubs } from './stub.ts';

/** The memory limits of resources. */
export interface SizeLimits {
  /** The limit of one resource without its status, in bytes as {@link sizeOf} counts. */
  readonly maxBytes: number;
  readonly budget: BudgetShare;
}

/** The size of a resource without its status, because a status that the loop wrote must not stall the resource. */
const bytesOf = (projected: CachedObject, limit: number): number => sizeOf({ ...projected, status: undefined }, limit);

const excessIn = (projected: CachedObject, bytes: number, { maxBytes, budget }: SizeLimits): Excess | undefined => {
  const { uid, namespace = '' } = projected.metadata;
  if (bytes <= maxBytes) return excessOfBudget(budget, { uid, namespace, bytes });
  budget.release(uid);
  return { by: 'limit', limit: maxBytes };
};

/** A projection that keeps a stub of a resource that is larger than the limit, or for which the budget has no room. */
export const withSizeLimit = (project: Projection, limits: SizeLimits): Projection =>
  withStubs(project, (projected) => excessIn(projected, bytesOf(projected, limits.maxBytes), limits));
