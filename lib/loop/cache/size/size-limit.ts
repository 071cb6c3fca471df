import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { BudgetShare } from './budget.ts';
import { sizeOf } from './size-of.ts';
import { type Excess, excessOfBudget, withStubs } from './stub.ts';

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
export const withSizeLimit = (project: Projection, limits: SizeLimits): Projection =>
  withStubs(project, (projected) => excessIn(projected, bytesOf(projected, limits.maxBytes), limits));
