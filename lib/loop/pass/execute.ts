import { instantOf } from '#lib/desired/clock.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { ApiError, ConnectionError } from '#lib/errors.ts';
import { type Context, cacheOf, type Doubt, memoryOf } from '#lib/loop/context.ts';
import { type ChildWrite, childEvents } from '#lib/loop/events/child-events.ts';
import { subjectOf } from '#lib/loop/events/subject.ts';
import { goesAway, type Step } from '#lib/plan/step.ts';
import { assertNoFight } from './fights.ts';
import { type Holds, holdsAfter, isHeld } from './holds.ts';
import type { Written } from './live-child.ts';
import { hasChanged } from './outdated.ts';
import { refusalReasonOf } from './refusal.ts';
import type { Seen } from './seen.ts';
import { inSlowStart } from './slow-start.ts';
import { type WriteStep, writeChild } from './write-child.ts';

/** What became of a plan. */
export interface Execution {
  /** The writes that were carried out; names that turned out to be ours already count, too. */
  readonly done: readonly WriteStep[];
  /** What the API server refused, in this pass or before, and is still wanted; sorted by name. */
  readonly refused: readonly Refusal[];
  /** True when something was refused in this pass. */
  readonly failed: boolean;
  readonly holds: Holds;
  /** When holds were looked at, in epoch milliseconds. */
  readonly began: number;
  /** Writes without an answer. */
  readonly doubts: readonly Doubt[];
  /** True when the pass wrote as much as it may, and steps are left for the next one. */
  readonly cut: boolean;
  /** True when a step was decided on an older state of a child than there is by now. */
  readonly outdated: boolean;
  /** False when the resource changed meanwhile, or the loop is stopping: nothing more should follow from this snapshot. */
  readonly current: boolean;
}

/** So many writes at most before the resource is looked at again: its spec may have changed, and its status is waited for. */
const WRITES_PER_PASS = 500;

interface Failure {
  readonly step: WriteStep;
  readonly refusal: Refusal;
  readonly error: ApiError | ConnectionError;
}

const verbOf = ({ step }: WriteStep): Refusal['verb'] => (step === 'prune' || step === 'replace' ? 'remove' : step);

const writeOf = (step: WriteStep) => ({ verb: verbOf(step), kind: step.kind.kind, name: step.name });

const idOf = ({ verb, kind, name }: Pick<Refusal, 'verb' | 'kind' | 'name'>): string => `${verb} ${kind} ${name}`;

/** The refusal that stands as long as its intent does: it is not tried again. */
const standingId = (step: Step): readonly string[] =>
  step.step === 'skip' && step.reason === 'ImmutableField'
    ? [idOf({ verb: 'apply', kind: step.kind.kind, name: step.name })]
    : [];

/** The refusals that are still about something: a write that was not tried, or one that would be refused again. */
const waitingAmong = (
  refused: readonly Refusal[],
  { untried, steps }: { readonly untried: readonly WriteStep[]; readonly steps: readonly Step[] },
): readonly Refusal[] => {
  if (refused.length === 0) return refused;
  const wanted = new Set([...untried.map((step) => idOf(writeOf(step))), ...steps.flatMap(standingId)]);
  return refused.filter((refusal) => wanted.has(idOf(refusal)));
};

/** How often the write of a step was refused in a row, with this time. */
const attemptsOf = (attempted: ReadonlyMap<string, number>, step: WriteStep): number =>
  (attempted.get(idOf(writeOf(step))) ?? 0) + 1;

interface Attempt {
  readonly step: WriteStep;
  /** By write: how often it was refused in a row. */
  readonly attempted: ReadonlyMap<string, number>;
}

/** Writes one child. What is wrong with the request or the connection is told, what is wrong with the loop is thrown. */
const attempt = async (context: Context, seen: Seen, { step, attempted }: Attempt): Promise<Failure | Written> => {
  const { log, metrics, now } = context;
  const fields = { key: seen.key, step: step.step, kind: step.kind.kind, name: step.name, reason: step.reason };
  try {
    if (step.step === 'apply') await assertNoFight(context, seen, step);
    const written = await writeChild(context, seen, step);
    log.debug(fields, written === 'done' ? 'child written' : 'child changed meanwhile');
    return written;
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
    const attempts = attemptsOf(attempted, step);
    const at = instantOf(Math.round(now() * 1000));
    const refusal = { ...writeOf(step), reason: refusalReasonOf(error), attempts, at };
    metrics.refused(refusal.verb, refusal.reason);
    log.info({ ...fields, refused: refusal.reason, attempts, error }, 'write refused');
    return { step, refusal, error };
  }
};

/** False as soon as the writes of this pass may not be what is wanted any more. */
const isCurrent = (context: Context, seen: Seen): boolean => !context.stopping.aborted && !hasChanged(context, seen);

interface Attempts {
  readonly done: readonly WriteStep[];
  readonly failures: readonly Failure[];
  /** How many steps were decided on an older state of their child. */
  readonly outdated: number;
  readonly unstarted: readonly WriteStep[];
}

/** Creations at once; then deletions, one kind after the other as the plan has them, so that nothing outlives what it needs. */
const phasesOf = (steps: readonly WriteStep[]): readonly (readonly WriteStep[])[] => {
  const deletions = steps.filter(goesAway);
  return [
    steps.filter((step) => !goesAway(step)),
    ...Map.groupBy(deletions, ({ step, kind }) => `${step} ${kind.apiVersion} ${kind.kind}`).values(),
  ];
};

/**
 * Within a phase requests overlap. What is refused does not stop what is under way; a deletion that is refused, or that was
 * decided on an older state, stops those of the kinds that follow, for this pass.
 */
const attemptAll = async (context: Context, seen: Seen, steps: readonly WriteStep[]): Promise<Attempts> => {
  const done: WriteStep[] = [];
  const failures: Failure[] = [];
  const outdated: WriteStep[] = [];
  const unstarted: WriteStep[] = [];
  const attempted = new Map(seen.refused.map((refusal) => [idOf(refusal), refusal.attempts]));
  for (const phase of phasesOf(steps)) {
    if ([...outdated, ...failures.map(({ step }) => step)].some(goesAway)) {
      unstarted.push(...phase);
      continue;
    }
    const tasks = phase.map((step) => async () => {
      const result = await attempt(context, seen, { step, attempted });
      if (result === 'outdated') outdated.push(step);
      else if (result === 'done') done.push(step);
      else failures.push(result);
      return result === 'done';
    });
    unstarted.push(...phase.slice(await inSlowStart(tasks, () => isCurrent(context, seen))));
  }
  return { done, failures, outdated: outdated.length, unstarted };
};

/** How many children of a kind there are by now, those that this pass created included. */
const populationOf =
  (context: Context, { resource }: Seen) =>
  (kind: string): number => {
    const { namespace, uid } = resource.metadata;
    const owned = context.definition.owns.find((candidate) => candidate.kind === kind);
    return owned === undefined ? 0 : cacheOf(context, owned).countControlledBy(namespace, uid);
  };

const childWriteOf = (step: WriteStep): ChildWrite => ({ ...step, verb: verbOf(step) });

/** Tells people what became of children. */
const tellOf = (
  { events, kind }: Context,
  { resource }: Seen,
  { done, failures }: Pick<Attempts, 'done' | 'failures'>,
): void => {
  const failed = failures.map(({ step, ...why }) => ({ write: childWriteOf(step), ...why }));
  childEvents({ done: done.map(childWriteOf), failed }, subjectOf(kind, resource)).forEach(events);
};

const retryAfterOf = (error: ApiError | ConnectionError): number =>
  error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;

const byName = (a: Refusal, b: Refusal): number => (a.name < b.name ? -1 : 1);

/** How a plan is carried out. */
export interface ExecuteOptions {
  /** No step is; they are left for later. @default false */
  readonly withholds?: boolean;
}

/**
 * Carries out the steps of a plan, as far as they are not on hold. Answers go into the caches at once, so that the next
 * pass sees them however late the watch is.
 *
 * A pass ends early when it has written much, when the resource changed meanwhile, and when the loop is stopping.
 */
export const execute = async (
  context: Context,
  seen: Seen,
  steps: readonly Step[],
  { withholds = false }: ExecuteOptions = {},
): Promise<Execution> => {
  const { generation, uid } = seen.resource.metadata;
  const { holds } = memoryOf(context, seen.key, uid);
  const moment = { now: context.now(), generation, populationOf: populationOf(context, seen) };
  const writes = steps.filter((step) => step.step !== 'skip');
  context.metrics.skipped(steps.length - writes.length);
  const { held = [], due = [] } = Object.groupBy(writes, (step) =>
    withholds || isHeld(holds, writeOf(step), moment) ? 'held' : 'due',
  );
  const { done, failures, outdated, unstarted } = await attemptAll(context, seen, due.slice(0, WRITES_PER_PASS));
  tellOf(context, seen, { done, failures });
  const refused = failures.map(({ refusal }) => refusal);
  const untried = [...held, ...unstarted, ...due.slice(WRITES_PER_PASS)];
  const waiting = waitingAmong(seen.refused, { untried, steps });
  const waits = failures.map(({ refusal, error }) => [refusal, retryAfterOf(error)] as const);
  const outcome = { began: moment.now, now: context.now(), random: context.random };
  return {
    done,
    refused: [...refused, ...waiting].toSorted(byName),
    failed: failures.length > 0,
    outdated: outdated > 0,
    began: moment.now,
    holds: holdsAfter(holds, { ...moment, ...outcome, refused, waiting, waitsMs: new Map(waits) }),
    doubts: failures
      .filter(({ error }) => error instanceof ConnectionError)
      .map(({ step: { kind, name } }) => ({ kind, name })),
    cut: due.length > WRITES_PER_PASS && failures.length === 0,
    current: isCurrent(context, seen),
  };
};
