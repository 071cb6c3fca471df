import { instantOf } from '#lib/desired/clock.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { ApiError, ConnectionError } from '#lib/errors.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { childTargetOf, type Disowned, type Written } from '#lib/loop/pass/live-child.ts';
import { hasChanged, isInDoubt } from '#lib/loop/pass/outdated.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { goesAway } from '#lib/plan/step.ts';
import { assertNoAdoptionFight, assertNoFight, disownedAfter, overrideAfter } from './fights.ts';
import { concernsNameAlone, type Holds, isLasting, scopeOfKind } from './holds.ts';
import { failedWebhookOf, refusalReasonOf } from './refusal.ts';
import { inSlowStart } from './slow-start.ts';
import { type WriteStep, writeChild } from './write-child.ts';

/** A write that was refused, had no response, or had a result that admission changed. */
export interface FailedWrite {
  readonly step: WriteStep;
  readonly refusal: Refusal;
  readonly error: ApiError | ConnectionError;
  /** True after an accepted create or apply with a response that differs from the intent, or lacks our owner reference. */
  readonly isDone?: true;
}

/** The verb of a step in refusals and holds. Each sort of deletion has the verb `remove`. */
export const refusalVerbOf = ({ step }: WriteStep): Refusal['verb'] =>
  step === 'prune' || step === 'replace' ? 'remove' : step;

/** The verb, kind and name of a step in refusals and holds. */
export const writeOf = (step: WriteStep) => ({ verb: refusalVerbOf(step), kind: step.kind.kind, name: step.name });

/** The identifier of a write, such as `create Pod web-1`. */
export const idOf = ({ verb, kind, name }: Pick<Refusal, 'verb' | 'kind' | 'name'>): string =>
  `${verb} ${kind} ${name}`;

/** The number of consecutive refusals of the write of a step, if the API server refuses it in this pass, too. */
const attemptsOf = (attempted: ReadonlyMap<string, number>, step: WriteStep): number =>
  (attempted.get(idOf(writeOf(step))) ?? 0) + 1;

interface Attempt {
  readonly step: WriteStep;
  /** The number of consecutive refusals of each write before this pass, by the id of the write. */
  readonly attempted: ReadonlyMap<string, number>;
  readonly holds: Holds;
}

/**
 * Returns the conflict that the response to a successful write shows: admission changed fields, or removed the owner reference.
 * The conflict concerns the next write to the child, so the result has the verb of that write. The verb is `apply` for fields,
 * and `adopt` for the owner reference, if the object still counts as a child. Without a verb, the verb of `step` applies.
 * Undefined without a conflict.
 */
const standsAgainst = async (
  context: Context,
  seen: Snapshot,
  { step, written }: { readonly step: WriteStep; readonly written: 'done' | Disowned },
): Promise<{ readonly error: ApiError; readonly verb?: Refusal['verb'] } | undefined> => {
  if (written === 'done') {
    const error = await overrideAfter(context, seen, step);
    return error && { error, verb: 'apply' };
  }
  const { error, isOurs } = await disownedAfter(context, seen, { step, answer: written.disowned });
  return isOurs ? { error, verb: 'adopt' } : { error };
};

/** The namespace of the child of a step; empty for a cluster-scoped child. */
const namespaceOfChild = (seen: Snapshot, step: WriteStep): string => childTargetOf(seen, step).namespace;

/** Writes one child. An `ApiError` or a `ConnectionError` becomes a {@link FailedWrite}; other errors are thrown. */
const attempt = async (
  context: Context,
  seen: Snapshot,
  { step, attempted }: Pick<Attempt, 'step' | 'attempted'>,
): Promise<FailedWrite | Exclude<Written, Disowned>> => {
  const { log, metrics, now, probes } = context;
  const fields = { key: seen.key, step: step.step, kind: step.kind.kind, name: step.name, reason: step.reason };
  const known = step.step === 'create' ? probes.endingOf(namespaceOfChild(seen, step)) : undefined;
  const failureOf = (error: ApiError | ConnectionError): FailedWrite => {
    const attempts = attemptsOf(attempted, step);
    const at = instantOf(Math.round(now() * 1000));
    const webhook = failedWebhookOf(error);
    const refusal = { ...writeOf(step), reason: refusalReasonOf(error), attempts, at, ...(webhook && { webhook }) };
    metrics.refused(refusal.verb, refusal.reason);
    if (known === undefined) log.info({ ...fields, refused: refusal.reason, attempts, error }, 'write refused');
    return { step, refusal, error };
  };
  if (known) return failureOf(known);
  try {
    if (step.step === 'apply') await assertNoFight(context, seen, step);
    if (step.step === 'adopt') await assertNoAdoptionFight(context, seen, step);
    const written = await writeChild(context, seen, step);
    log.debug(fields, written === 'outdated' ? 'child changed meanwhile' : 'child written');
    if (written === 'outdated') return written;
    const changesFields = step.step === 'create' || step.step === 'apply';
    if (written === 'done' || changesFields) context.onChildWritten?.({ ...fields, apiVersion: step.kind.apiVersion });
    const against = await standsAgainst(context, seen, { step, written });
    if (against === undefined) return 'done';
    const { verb = refusalVerbOf(step), error } = against;
    const failure = failureOf(error);
    return { ...failure, refusal: { ...failure.refusal, verb }, ...(changesFields && { isDone: true }) };
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
    return failureOf(error);
  }
};

/**
 * Whether the writes of this pass may continue. Three conditions must hold: the loop is not stopping; the caches are not in doubt
 * after a restore of the storage (`Context.isInDoubt`); the cached resource has the resource version of the snapshot.
 */
export const isCurrent = (context: Context, seen: Snapshot): boolean =>
  !context.stopping.aborted && !isInDoubt(context, seen.key) && !hasChanged(context, seen);

interface Sort {
  readonly steps: readonly WriteStep[];
  /** True to send one write first, as a test whether the API server accepts such writes. */
  readonly isProbing: boolean;
}

/**
 * Groups the writes by verb and kind. A refusal in one group does not delay the writes of another group. Within a group, writes
 * with the fewest refusals come first, because they are the most likely to succeed.
 */
const sortsOf = (
  { probes }: Context,
  seen: Snapshot,
  { steps, attempted, holds }: { readonly steps: readonly WriteStep[] } & Pick<Attempt, 'attempted' | 'holds'>,
): readonly Sort[] => {
  const mayFail = (step: WriteStep): boolean =>
    holds.has(scopeOfKind(writeOf(step))) ||
    (step.step === 'create' && !probes.isAccepting(namespaceOfChild(seen, step), step.kind.kind));
  const sorts = Map.groupBy(steps, (step) => `${refusalVerbOf(step)} ${step.kind.kind}`);
  return [...sorts.values()].map((all) => ({
    steps: all.toSorted((a, b) => attemptsOf(attempted, a) - attemptsOf(attempted, b)),
    isProbing: all.some(mayFail),
  }));
};

/**
 * Records for each namespace and kind whether the API server accepted the creates, and for each namespace whether it is
 * terminating.
 */
const noteCreates = (
  { probes }: Context,
  seen: Snapshot,
  { done, failures }: Pick<Attempts, 'done' | 'failures'>,
): void => {
  const created = done.filter(({ step }) => step === 'create');
  for (const step of created) probes.noteCreates(namespaceOfChild(seen, step), step.kind.kind, { refused: false });
  for (const { step, refusal, error } of failures) {
    if (step.step !== 'create' || !isLasting(refusal.reason)) continue;
    const namespace = namespaceOfChild(seen, step);
    probes.noteCreates(namespace, step.kind.kind, { refused: true });
    const isEnding = refusal.reason === 'NamespaceTerminating' && error instanceof ApiError;
    if (isEnding && probes.endingOf(namespace) === undefined) probes.noteEnding(namespace, error);
  }
};

/** The outcome of the writes of a pass. */
export interface Attempts {
  readonly done: readonly WriteStep[];
  readonly failures: readonly FailedWrite[];
  /** The number of steps with the outcome `outdated`. */
  readonly outdated: number;
  readonly unstarted: readonly WriteStep[];
}

/**
 * Groups the steps into phases. The first phase has all steps that are not deletions. Each further phase has the deletions of one
 * verb and kind, in the order of the plan. In the plan, deletions with the same verb have the reverse order of `owns`.
 */
const phasesOf = (steps: readonly WriteStep[]): readonly (readonly WriteStep[])[] => {
  const deletions = steps.filter(goesAway);
  return [
    steps.filter((step) => !goesAway(step)),
    ...Map.groupBy(deletions, ({ step, kind }) => `${step} ${kind.apiVersion} ${kind.kind}`).values(),
  ];
};

/**
 * Sends the writes, one phase after the other. Within a phase, requests run in parallel, and a refused write does not stop the
 * running requests. If a deletion is refused or `outdated`, this pass does not begin the following phases.
 */
export const attemptAll = async (
  context: Context,
  seen: Snapshot,
  { steps, holds }: { readonly steps: readonly WriteStep[]; readonly holds: Holds },
): Promise<Attempts> => {
  const done: WriteStep[] = [];
  const failures: FailedWrite[] = [];
  const outdated: WriteStep[] = [];
  const unstarted: WriteStep[] = [];
  const attempted = new Map(seen.refused.map((refusal) => [idOf(refusal), refusal.attempts]));
  for (const phase of phasesOf(steps)) {
    if ([...outdated, ...failures.map(({ step }) => step)].some(goesAway)) {
      unstarted.push(...phase);
      continue;
    }
    const carryOut = async (step: WriteStep): Promise<boolean> => {
      const result = await attempt(context, seen, { step, attempted });
      if (result === 'outdated') outdated.push(step);
      else if (result === 'done') done.push(step);
      else failures.push(result);
      if (typeof result === 'object' && result.isDone) done.push(step);
      return result === 'done' || (result !== 'outdated' && concernsNameAlone(result.refusal));
    };
    const sorts = sortsOf(context, seen, { steps: phase, attempted, holds });
    const left = sorts.map(async ({ steps: sort, isProbing }) => {
      const tasks = sort.map((step) => async () => carryOut(step));
      return sort.slice(await inSlowStart(tasks, { isProbing, goOn: () => isCurrent(context, seen) }));
    });
    unstarted.push(...(await Promise.all(left)).flat());
  }
  noteCreates(context, seen, { done, failures });
  return { done, failures, outdated: outdated.length, unstarted };
};
