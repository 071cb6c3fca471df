import { isPlainObject } from '#lib/json.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { amountOf } from '#lib/plan/fields/amount.ts';

/** Whether amount `a` is smaller than amount `b`. True also if `a` and `b` differ and cannot be compared. */
const isLess = (a: unknown, b: unknown): boolean => a !== b && !(amountOf(a) >= amountOf(b));

type Amounts = Readonly<Record<string, unknown>>;

const amountsIn = (quota: CachedObject, member: 'hard' | 'used'): Amounts | undefined => {
  const { status } = quota as { readonly status?: unknown };
  const amounts = isPlainObject(status) ? status[member] : undefined;
  return isPlainObject(amounts) ? amounts : undefined;
};

/**
 * Whether the API server may now accept creates that a ResourceQuota refused. True if the quota was deleted, a limit was raised
 * or removed, or the usage fell. True also when the status of a known quota shows limits for the first time.
 */
export const makesRoom = ({ before, after }: CacheChange): boolean => {
  if (before === undefined || after === undefined) return after === undefined;
  const [hardBefore, hard] = [amountsIn(before, 'hard'), amountsIn(after, 'hard')];
  if (hard === undefined) return false;
  if (hardBefore === undefined) return true;
  const [usedBefore = {}, used = {}] = [amountsIn(before, 'used'), amountsIn(after, 'used')];
  const isRaised = (name: string): boolean => !Object.hasOwn(hard, name) || isLess(hardBefore[name], hard[name]);
  const isFreed = (name: string): boolean => Object.hasOwn(used, name) && isLess(used[name], usedBefore[name]);
  return Object.keys(hardBefore).some((name) => isRaised(name) || isFreed(name));
};
