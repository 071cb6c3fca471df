import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from './site.ts';

/** A condition of a resource. */
export interface ResourceCondition {
  /** Kind of the resource. */
  readonly kind: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The conditions of all resources of a fleet. */
export const conditionsIn = async ({ resources }: Fleet): Promise<readonly ResourceCondition[]> =>
  (await resources.resources()).flatMap(({ kind, status }) =>
    (status?.conditions ?? []).map(({ type, status: value, reason, message }) => ({
      kind,
      type,
      status: value,
      reason,
      message,
    })),
  );

const LOOK_MS = 250;

/**
 * Waits for conditions.
 *
 * @returns the time until then, in milliseconds
 * @throws {Error} with all conditions after the time limit
 */
export const untilSaid = async (
  fleet: Fleet,
  isSaid: (conditions: readonly ResourceCondition[]) => boolean,
  { what, limitMs }: { readonly what: string; readonly limitMs: number },
): Promise<number> => {
  const began = Date.now();
  for (;;) {
    const conditions = await conditionsIn(fleet);
    const tookMs = Date.now() - began;
    if (isSaid(conditions)) return tookMs;
    if (tookMs > limitMs) {
      const all = conditions.map((each) => `${each.kind} ${each.type}=${each.status} ${each.reason}: ${each.message}`);
      throw new Error(`${fleet.namespace}: ${what} not after ${limitMs} ms:\n${all.join('\n')}`);
    }
    await sleep(LOOK_MS);
  }
};
