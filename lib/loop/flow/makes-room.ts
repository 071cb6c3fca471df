import { isPlainObject } from '#lib/json.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { amountOf } from '#lib/plan/fields/amount.ts';

/** True when an amount is smaller than another, or when they cannot be compared. */
const isLess = (a: unknown, b: unknown): boolean => a !== b && !(amountOf(a) >= amountOf(b));

type Amounts = Readonly<Record<string, unknown>>;

const amountsIn = (quota: CachedObject, member: 'hard' | 'used'): Amounts | undefined => {
  const { status } = quota as { readonly status?: unknown };
  const amounts = isPlainObject(status) ? status[member] : undefined;
  return isPlainObject(amounts) ? amounts : undefined;
};

/**
 * Whether a change of a ResourceQuota may allow creates that it refused: it is gone, a limit is higher or gone, the usage is
 * lower, or its limits became known. A higher usage, which every pod causes, makes no room.
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
