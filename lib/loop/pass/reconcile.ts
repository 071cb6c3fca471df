import type { State } from '#lib/desired/result/state.ts';
import { type Context, forgetResource } from '#lib/loop/context/context.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { slot } from '#lib/loop/context/memory.ts';
import { unableTo, unchangedIn } from '#lib/loop/pass/compute/compute.ts';
import { computeSupplied, type Supplied } from '#lib/loop/pass/compute/supply.ts';
import { tooLargeState, wholeSeen } from '#lib/loop/pass/compute/too-large.ts';
import { execute } from '#lib/loop/pass/execute/execute.ts';
import { holdsSlot, holdsWithRoom, untilFirstEnds } from '#lib/loop/pass/execute/holds.ts';
import type { Report } from '#lib/loop/pass/report/attempt.ts';
import { type Pass, reportStatus } from '#lib/loop/pass/report/report.ts';
import { noteRound, type Pause, pauseOf } from '#lib/loop/pass/settling/children.ts';
import { deleteLeftBehind } from '#lib/loop/related/left-behind.ts';
import type { Decision } from './decision.ts';
import { doubtsSlot, settleDoubts } from './doubts.ts';
import { refusedSlot } from './execute/refusal.ts';
import { allowedSteps, dropFinalizer, ensureFinalizer, isFinalized } from './finalize.ts';
import { observe } from './observe.ts';
import { DOUBT_MS, isInDoubt, isOutdated } from './outdated.ts';
import type { Snapshot } from './snapshot.ts';

/** The result of a pass, from which the queue computes the time of the next pass. */
export type Result =
  | { readonly next: 'rest' }
  /**
   * The next pass is due after this many milliseconds; the delay does not grow from pass to pass. `looksAtStatus`: the function
   * reads the status that this pass wrote.
   */
  | { readonly next: 'again'; readonly afterMs: number; readonly looksAtStatus?: true }
  /**
   * The pass failed, or used an outdated state; the next pass is due after a growing delay of at least `atLeastMs`. If `afterMs`
   * is present, a pass is due after `afterMs` as well: at a time that the function asked for, when a delayed status may be
   * written, or when a hold or a delay of writes ends. `isPaced`: every failed write has its own growing hold, so the delay is
   * exactly `atLeastMs`.
   */
  | { readonly next: 'backoff'; readonly atLeastMs: number; readonly afterMs?: number; readonly isPaced?: true };

/**
 * The resource version of the resource in the last pass that created children and did not stop at its maximum number of writes.
 */
const createdUnderSlot = slot<string | undefined>('createdUnder', { empty: undefined, inspect: (version) => version });

/**
 * One pass over one resource: observe, compute, execute, report.
 *
 * Flow: gets each child in doubt → takes the snapshot → adds the finalizer, if the kind has `finalize` or children elsewhere →
 * calls the function and plans → removes the finalizer and ends, if `isFinalized` is true → writes the children, unless the
 * function does not settle → starts effects → writes the status → deletes the children elsewhere of an earlier resource with the
 * same key → decides when the next pass begins.
 *
 * Guarantees: a pass that finds nothing to change sends no writes. It reads only children in doubt, and objects that the cache
 * does not hold completely. A pass that wrote children usually leaves the status to the next pass, which observes the children;
 * see `reportStatus`.
 *
 * Assumptions: never two passes for the same key at once; the caches are filled.
 *
 * Caveats: rejects with `NotLeadingError` when the leadership has ended; another error shows a bug in the loop. A refusal by the
 * API server leads to a back-off.
 */
export const reconcile = async (context: Context, key: Key): Promise<Result> => {
  if (isInDoubt(context, key)) return { next: 'again', afterMs: DOUBT_MS };
  const result = await onePass(context, key);
  const swept = await deleteLeftBehind(context, key);
  if (swept === 'done' || result.next === 'backoff') return result;
  if (swept === 'more') return { ...result, next: 'again', afterMs: 0 };
  return { ...result, next: 'backoff', atLeastMs: 0 };
};

const onePass = async (context: Context, key: Key): Promise<Result> => {
  if (!(await settleDoubts(context, key))) return { next: 'backoff', atLeastMs: 0 };
  const found = await wholeSeen(context, observe(context, key));
  if (found === 'unknown') return { next: 'backoff', atLeastMs: 0 };
  if (!found) {
    forgetResource(context, key);
    return { next: 'rest' };
  }
  const decision = await decide(context, found);
  if (decision === 'unknown') return { next: 'backoff', atLeastMs: 0 };
  if (decision === 'again') return { next: 'again', afterMs: 0 };
  const { seen, wanted: decided } = decision;
  const pause = pauseOf(context, seen, decided);
  const wanted = pause.state ? { ...decided, desired: { ...decided.desired, state: pause.state } } : decided;
  const { definition, fieldManager, ownNamespace } = context;
  const unsaid = pause.state && { unsaid: decided.desired.state };
  context.onDecision?.({ definition, seen, wanted, fieldManager, ownNamespace, ...unsaid });
  const creates = !pause.withholds && wanted.plan.steps.some(({ step }) => step === 'create');
  if (creates && mayBeGone(context, seen)) {
    if (await isOutdated(context, seen)) return { next: 'again', afterMs: 0 };
    // The live get failed, so the resource may be deleted. The garbage collector would delete children that are created for it.
    if (context.resources.trust.isUnsure(seen.uid)) return { next: 'backoff', atLeastMs: 0 };
  }
  const executed = await execute(context, seen, allowedSteps(seen, wanted.plan), pause);
  const { began } = executed;
  const holds = context.quotas.passEnded(key, executed.holds, { began, now: context.now(), random: context.random });
  const execution = { ...executed, holds };
  const { done, refused, doubts, cut } = execution;
  refusedSlot.set(context, seen, refused);
  holdsSlot.set(context, seen, holds);
  doubtsSlot.set(context, seen, doubts);
  // If this pass stopped at its maximum number of writes, missing children in the next pass do not show that the resource is
  // gone.
  if (creates && done.length > 0 && !cut) createdUnderSlot.set(context, seen, seen.resourceVersion);
  noteRound(context, seen, wanted, execution);
  requestEffects(context, seen, { wanted, execution });
  const report = await reportStatus(context, seen, { wanted, execution });
  countEffects(context, seen, { wanted, report });
  return resultOf(context, seen, { wanted, execution, report, pause });
};

/** The decision; `unknown` when an input could not be read; `again` when the pass ends after a patch of the finalizers. */
const decide = async (context: Context, found: Snapshot): Promise<Supplied | 'again' | 'unknown'> => {
  const unable = (state: State): Supplied => ({ seen: found, wanted: unableTo(found, state) });
  const tooLarge = tooLargeState(found);
  if (tooLarge) return unable(tooLarge);
  const held = context.held?.stateOf(found);
  if (held) return { seen: found, wanted: unchangedIn(found, held) };
  const added = await ensureFinalizer(context, found);
  if (added === 'changed') return 'again';
  const computed = added === 'unchanged' ? await computeSupplied(context, found) : unable(added);
  if (computed === 'unknown' || !isFinalized(context.definition, found, computed.wanted)) return computed;
  const dropped = await dropFinalizer(context, found);
  return dropped === 'changed' ? 'again' : unable(dropped);
};

/** Starts the effects of the decision, unless the function failed or was not called, or the pass is no longer current. */
const requestEffects = ({ effects }: Context, { resource }: Snapshot, { wanted, execution }: Pass): void => {
  if (wanted.given !== undefined && execution.current) effects.request(resource, wanted.desired.effects ?? []);
};

/** Records that the stored status includes the outcomes that the function read, if the status of this pass is stored. */
const countEffects = (
  { effects }: Context,
  { key }: Snapshot,
  { wanted: { given, desired }, report: { status } }: { readonly wanted: Decision; readonly report: Report },
): void => {
  if (given !== undefined && (status === 'written' || status === 'unchanged'))
    effects.counted(key, desired.effects ?? []);
};

/**
 * Whether the resource may be gone although its watch has not shown the deletion, for example after a restore of the storage.
 * There are two signs. An earlier pass created children for this version of the resource, and children are missing again. Or the
 * watch broke off, and has not shown the resource since.
 */
const mayBeGone = (context: Context, seen: Snapshot): boolean =>
  context.resources.trust.isUnsure(seen.uid) || createdUnderSlot.get(context, seen) === seen.resourceVersion;

const someAfter = (afterMs: number): { readonly afterMs?: number } => (afterMs === Infinity ? {} : { afterMs });

const resultOf = (
  context: Context,
  { clock }: Snapshot,
  { wanted, execution, report, pause }: Pass & { readonly report: Report; readonly pause: Pause },
): Result => {
  const awaited = clock.awaited();
  const untilAwaitedMs = awaited === undefined ? Infinity : Math.max(0, (awaited - clock.nowMicros) / 1000);
  const when = { began: execution.began, now: context.now() };
  const untilHoldEndsMs = untilFirstEnds(execution.holds, when);
  const untilReportMs = 'afterMs' in report ? report.afterMs : Infinity;
  const untilRoomMs = untilFirstEnds(holdsWithRoom(execution.holds), when);
  const afterMs = Math.min(untilAwaitedMs, untilReportMs, untilRoomMs, pause.afterMs);
  if (wanted.failed || report.status === 'failed') {
    const atLeastMs = report.status === 'failed' ? report.retryAfterMs : 0;
    return { next: 'backoff', atLeastMs, ...someAfter(Math.min(afterMs, untilHoldEndsMs)) };
  }
  if (execution.failed) return { next: 'backoff', atLeastMs: untilHoldEndsMs, ...someAfter(afterMs), isPaced: true };
  // While a resource or a child keeps changing, the delay between its passes grows, and the next pass writes the status.
  if (execution.outdated)
    return { next: 'backoff', atLeastMs: 0, ...someAfter(Math.min(untilAwaitedMs, untilHoldEndsMs, pause.afterMs)) };
  const looksAtStatus = !execution.cut && report.status === 'written' && wanted.given?.readsStatus === true;
  const againMs = Math.min(afterMs, untilHoldEndsMs, execution.cut || looksAtStatus ? 0 : Infinity);
  if (againMs === Infinity) return { next: 'rest' };
  return { next: 'again', afterMs: againMs, ...(looksAtStatus && { looksAtStatus }) };
};
