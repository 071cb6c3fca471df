import { type Context, forget, memoryOf, remember } from '#lib/loop/context.ts';
import type { Key } from '#lib/loop/key.ts';
import { compute, unableTo } from './compute.ts';
import type { Wanted } from './decision.ts';
import { settleDoubts } from './doubts.ts';
import { type Ease, easeOf, noteRound } from './ease.ts';
import { execute } from './execute.ts';
import { allowedSteps, dropFinalizer, ensureFinalizer, isFinalized } from './finalize.ts';
import { holdsWithRoom, untilFirstEnds } from './holds.ts';
import { observe } from './observe.ts';
import { isOutdated } from './outdated.ts';
import { type Pass, type Report, reportStatus } from './report.ts';
import type { Seen } from './seen.ts';

/** When a key wants to be looked at again. */
export type Result =
  | { readonly next: 'rest' }
  /** After so many milliseconds; it is well. */
  | { readonly next: 'again'; readonly afterMs: number }
  /** After a growing delay, at least so many milliseconds; it is not well. And after `afterMs`, when an instant is awaited or status waits. */
  | { readonly next: 'backoff'; readonly atLeastMs: number; readonly afterMs?: number };

/**
 * One pass over one resource: observe, compute what should be, do what is missing, report.
 *
 * Flow: writes without an answer are looked up → the snapshot → the finalizer, if the kind has `finalize` → the kind's
 * function and the plan → if the function does not settle, a pause → writes to children → effects → one status patch → when to look again.
 *
 * Guarantees: at rest it sends nothing; a pass that wrote children leaves the status to the next one, which sees them.
 *
 * Assumptions: never two passes for the same key at once; the caches are filled.
 *
 * Caveats: rejects only for a bug of the loop; what the API server refuses becomes a back-off.
 */
export const reconcile = async (context: Context, key: Key): Promise<Result> => {
  if (!(await settleDoubts(context, key))) return { next: 'backoff', atLeastMs: 0 };
  const seen = observe(context, key);
  if (!seen) {
    forget(context, key);
    return { next: 'rest' };
  }
  const decided = await decide(context, seen);
  if (decided === 'again') return { next: 'again', afterMs: 0 };
  const ease = easeOf(context, seen, decided);
  const wanted = ease.state ? { ...decided, desired: { ...decided.desired, state: ease.state } } : decided;
  const { definition, fieldManager } = context;
  const unsaid = ease.state && { unsaid: decided.desired.state };
  context.onDecision?.({ definition, seen, wanted, fieldManager, ...unsaid });
  const creates = !ease.withholds && wanted.plan.steps.some(({ step }) => step === 'create');
  if (creates && isRepeated(context, seen) && (await isOutdated(context, seen))) return { next: 'again', afterMs: 0 };
  const executed = await execute(context, seen, allowedSteps(seen, wanted.plan), ease);
  const holds = context.quotas.settled(key, executed.holds, { now: context.now(), random: context.random });
  const execution = { ...executed, holds };
  const { done, refused, doubts, cut } = execution;
  // When the pass was cut, the next one creates the rest.
  const created = creates && done.length > 0 && !cut ? { createdUnder: seen.resourceVersion } : {};
  remember(context, { key, uid: seen.resource.metadata.uid }, { refused, holds, doubts, ...created });
  noteRound(context, seen, wanted, execution);
  requestEffects(context, seen, { wanted, execution });
  const report = await reportStatus(context, seen, { wanted, execution });
  countEffects(context, seen, { wanted, report });
  return resultOf(context, seen, { wanted, execution, report, ease });
};

/** What the pass wants; or `again`, when a finalizer was to be changed first and that is all for now. */
const decide = async (context: Context, seen: Seen): Promise<Wanted | 'again'> => {
  const added = await ensureFinalizer(context, seen);
  if (added === 'changed') return 'again';
  const wanted = added === 'unchanged' ? compute(context, seen) : unableTo(seen, added);
  if (!isFinalized(context.definition, seen, wanted)) return wanted;
  const dropped = await dropFinalizer(context, seen);
  return dropped === 'changed' || dropped === 'unchanged' ? 'again' : unableTo(seen, dropped);
};

/** A function that failed said nothing of effects; what an outdated snapshot asks for may not be wanted any more. */
const requestEffects = ({ effects }: Context, { resource }: Seen, { wanted, execution }: Pass): void => {
  if (!wanted.failed && execution.current) effects.request(resource, wanted.desired.effects ?? []);
};

/** What the pass was shown of effects is in the status now. */
const countEffects = (
  { effects }: Context,
  { key }: Seen,
  { wanted: { failed, desired }, report: { status } }: { readonly wanted: Wanted; readonly report: Report },
): void => {
  if (!failed && (status === 'written' || status === 'unchanged')) effects.counted(key, desired.effects ?? []);
};

/**
 * True when children were created under this very state of the resource, and others are missing now. It may be that the
 * resource is gone, the garbage collector takes its children away, and only its own watch has not told.
 */
const isRepeated = (context: Context, { key, resource, resourceVersion }: Seen): boolean =>
  memoryOf(context, key, resource.metadata.uid).createdUnder === resourceVersion;

const resultOf = (
  context: Context,
  { clock }: Seen,
  { wanted, execution, report, ease }: Pass & { readonly report: Report; readonly ease: Ease },
): Result => {
  const awaited = clock.awaited();
  const untilAwaitedMs = awaited === undefined ? Infinity : Math.max(0, (awaited - clock.nowMicros) / 1000);
  const when = { began: execution.began, now: context.now() };
  const untilHoldEndsMs = untilFirstEnds(execution.holds, when);
  const untilReportMs = report.status === 'later' ? report.afterMs : Infinity;
  const untilRoomMs = untilFirstEnds(holdsWithRoom(execution.holds), when);
  const afterMs = Math.min(untilAwaitedMs, untilReportMs, untilRoomMs, ease.afterMs);
  if (wanted.failed || execution.failed || report.status === 'failed') {
    const askedMs = report.status === 'failed' ? report.retryAfterMs : 0;
    const atLeastMs = execution.failed ? Math.max(untilHoldEndsMs, askedMs) : askedMs;
    return { next: 'backoff', atLeastMs, ...(afterMs === Infinity ? {} : { afterMs }) };
  }
  // What keeps changing under our hands is looked at again ever more rarely.
  if (execution.outdated) return { next: 'backoff', atLeastMs: 0 };
  const atOnce = execution.cut || (report.status === 'written' && wanted.given?.readsStatus === true);
  const againMs = Math.min(afterMs, untilHoldEndsMs, atOnce ? 0 : Infinity);
  return againMs === Infinity ? { next: 'rest' } : { next: 'again', afterMs: againMs };
};
