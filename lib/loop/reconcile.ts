import { ApiError } from '#lib/errors.ts';
import { compute, type Wanted } from './compute.ts';
import type { Context } from './context.ts';
import { type Execution, execute } from './execute.ts';
import type { Key } from './key.ts';
import { observe, type Seen } from './observe.ts';
import { nextStatus, readyFlips, statusDiffers, statusPatch } from './status.ts';

/** When a key wants to be looked at again. */
export type Result =
  | { readonly next: 'rest' }
  /** After so many milliseconds; it is well. */
  | { readonly next: 'again'; readonly afterMs: number }
  /** After a growing delay, at least so many milliseconds; it is not well. And after `afterMs`, when an instant is awaited. */
  | { readonly next: 'back-off'; readonly atLeastMs: number; readonly afterMs?: number };

/** What became of the status. */
type Report =
  | { readonly status: 'written' | 'unchanged' }
  | { readonly status: 'failed'; readonly retryAfterMs: number }
  | { readonly status: 'later'; readonly afterMs: number };

/** Progress that does not change Ready is written at most so often per resource, in milliseconds. */
const STATUS_INTERVAL_MS = 250;

/**
 * One pass over one resource: observe, compute what should be, do what is missing, report.
 *
 * Flow: the snapshot → the kind's function and the plan → writes to children → one status patch → when to look again.
 *
 * Guarantees: at rest it sends nothing; a pass that wrote children leaves the status to the next one, which sees them.
 *
 * Assumptions: never two passes for the same key at once; the caches are filled.
 *
 * Caveats: rejects only for a bug of the loop; what the API server refuses becomes a back-off.
 */
export const reconcile = async (context: Context, key: Key): Promise<Result> => {
  const seen = observe(context, key);
  if (!seen) {
    context.memory.delete(key);
    return { next: 'rest' };
  }
  const wanted = compute(context, seen);
  const execution = await execute(context, seen, wanted.plan.steps);
  context.memory.set(key, { ...context.memory.get(key), refused: execution.refused });
  const report = await reportStatus(context, seen, { wanted, execution });
  return resultOf(seen, { wanted, execution, report });
};

interface Pass {
  readonly wanted: Wanted;
  readonly execution: Execution;
}

const reportStatus = async (context: Context, seen: Seen, { wanted, execution }: Pass): Promise<Report> => {
  if (execution.written > 0 && execution.refused.length === 0) return { status: 'later', afterMs: 0 };
  const next = nextStatus(seen, wanted.desired, execution.refused);
  if (!statusDiffers(seen, next)) return { status: 'unchanged' };
  const { statusWrittenAt = -Infinity } = context.memory.get(seen.key) ?? {};
  const waitMs = statusWrittenAt + STATUS_INTERVAL_MS - context.now();
  if (waitMs > 0 && !readyFlips(seen, next)) return { status: 'later', afterMs: waitMs };
  return writeStatus(context, seen, next);
};

const writeStatus = async (context: Context, seen: Seen, next: Readonly<Record<string, unknown>>): Promise<Report> => {
  const { api, kind, fieldManager, resources, memory, now, log } = context;
  const { name, namespace } = seen.resource.metadata;
  try {
    resources.overlay(await api.patchStatus(kind, { name, namespace }, statusPatch(seen, next), { fieldManager }));
    memory.set(seen.key, { refused: [], ...memory.get(seen.key), statusWrittenAt: now() });
    return { status: 'written' };
  } catch (error) {
    // Gone: its own event brings the next pass.
    if (error instanceof ApiError && error.httpStatus === 404) return { status: 'unchanged' };
    const isStale = error instanceof ApiError && error.httpStatus === 409;
    log[isStale ? 'debug' : 'info']({ key: seen.key, error }, 'status write failed');
    return { status: 'failed', retryAfterMs: error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0 };
  }
};

const resultOf = ({ clock }: Seen, { wanted, execution, report }: Pass & { readonly report: Report }): Result => {
  const awaited = clock.awaited();
  const untilAwaitedMs = awaited === undefined ? Infinity : Math.max(0, (awaited - clock.nowMicros) / 1000);
  const again = (afterMs: number) => (afterMs === Infinity ? {} : { afterMs });
  if (wanted.failed || execution.refused.length > 0 || report.status === 'failed') {
    const askedMs = report.status === 'failed' ? report.retryAfterMs : 0;
    return { next: 'back-off', atLeastMs: Math.max(execution.retryAfterMs, askedMs), ...again(untilAwaitedMs) };
  }
  const afterMs = Math.min(untilAwaitedMs, report.status === 'later' ? report.afterMs : Infinity);
  return afterMs === Infinity ? { next: 'rest' } : { next: 'again', afterMs };
};
