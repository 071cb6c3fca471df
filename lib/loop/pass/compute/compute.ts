import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { resourceText } from '#lib/desired/observe/scoped-name.ts';
import { FAILURE_MESSAGE_LENGTH } from '#lib/desired/result/conditions.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { remove } from '#lib/desired/result/intent.ts';
import { resultIssues } from '#lib/desired/result/result-check.ts';
import { progressing, type State, stalled } from '#lib/desired/result/state.ts';
import { InvalidDesiredError, isReconcileError } from '#lib/errors.ts';
import { resourceName } from '#lib/kind/handles/reference.ts';
import { validateStatus } from '#lib/kind/instance/validate-status.ts';
import { DemandedError, StubDemandedError } from '#lib/loop/cache/size/on-demand.ts';
import { excessOf } from '#lib/loop/cache/size/stub.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { type TrackedOutcomes, trackOutcomes } from '#lib/loop/pass/asked-outcomes.ts';
import type { Decision, Given } from '#lib/loop/pass/decision.ts';
import { rememberPins } from '#lib/loop/pass/execute/pins.ts';
import { isFinalizing } from '#lib/loop/pass/finalizer.ts';
import { afresh, type CallParts, observationOfSeen } from '#lib/loop/pass/observe.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import type { UnobservedRead } from '#lib/loop/related/lookups.ts';
import { planRestored } from '#lib/plan/decide/restored.ts';
import { planChildren } from '#lib/plan/plan.ts';
import type { Plan, Step } from '#lib/plan/step.ts';
import { assertPure } from './purity.ts';

/** The part of a context that a computation needs. */
export type Computing = Pick<
  Context,
  | 'definition'
  | 'related'
  | 'isObserved'
  | 'log'
  | 'metrics'
  | 'onFailure'
  | 'checksFunctions'
  | 'lookups'
  | 'memory'
  | 'ownNamespace'
>;

const calledFor = (seen: Snapshot): string => (isFinalizing(seen) ? 'finalize()' : 'desired()');

const desiredOf = (context: Computing, seen: Snapshot, call: CallParts): Desired<unknown> => {
  try {
    if (seen.selectorError !== undefined) throw seen.selectorError;
    return checkedDesired(context, seen, call);
  } finally {
    // The look-ups are remembered even after an error, because an answer may be the cause; a change of the answer starts a pass.
    context.lookups.remember(
      seen.key,
      'related',
      seen.related.answers().map(({ lookup }) => lookup),
    );
    context.lookups.missed(seen.key, seen.related.unobserved());
  }
};

/**
 * The result for a resource that is being deleted, if its kind has no `finalize`: the children elsewhere are deleted. The garbage
 * collector deletes the other children.
 */
const endOf = (seen: Snapshot): Desired<unknown> => ({
  children: seen.children.flatMap(({ kind, object }) =>
    kind.elsewhere === undefined ? [] : [remove(object, 'ParentDeleted')],
  ),
  partial: 'the garbage collector deletes the children in the namespace of the resource',
  status: ownStatus(seen),
  state: progressing('Deleting', 'the children in other places are deleted'),
});

const answerOf = (context: Computing, seen: Snapshot, call: CallParts): Desired<unknown> => {
  const { desired, finalize } = context.definition;
  if (!isFinalizing(seen)) return desired(observationOfSeen(context, seen, call));
  return finalize ? finalize(observationOfSeen(context, seen, call)) : endOf(seen);
};

/**
 * The error for the first stub that the function looked up; undefined if it looked up no stub. In case of an error, the result of
 * the function is not used, because the function did not see the whole object.
 */
const stubLookedUp = ({ related }: Snapshot): StubDemandedError | undefined => {
  for (const { lookup, objects } of related.answers())
    for (const object of objects) if (excessOf(object)) return new StubDemandedError(lookup.kind, object);
  return undefined;
};

/** The error when the function looked up an object in a namespace that the operator cannot observe. */
class UnobservedError extends Error {
  constructor({ kind, namespace }: UnobservedRead) {
    const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
    super(
      `the operator cannot list ${resourceName(kind)} ${where}, which the kind reads with elsewhere(); the children of the resource stay as they are. Create the namespace, and install the bundle of the operator with its rights there`,
    );
  }
}

/** The error for the first look-up with an incomplete answer. In case of an error, the result of the function is not used. */
const incompleteIn = (seen: Snapshot): Error | undefined => {
  const unobserved = seen.related.unobserved();
  return unobserved ? new UnobservedError(unobserved) : stubLookedUp(seen);
};

const checkedDesired = (context: Computing, seen: Snapshot, call: CallParts): Desired<unknown> => {
  const { definition } = context;
  let demanded: DemandedError | undefined;
  const onDemand = (error: DemandedError): void => {
    demanded ??= error;
  };
  let desired: Desired<unknown>;
  try {
    desired = answerOf(context, seen, { ...call, onDemand });
  } catch (error) {
    throw incompleteIn(seen) ?? error;
  }
  // The function may have caught the error of a missing member. The result is not used then, because a member was missing.
  const missed = demanded ?? incompleteIn(seen);
  if (missed) throw missed;
  ignoreRejection(desired);
  const malformed = resultIssues(desired);
  const issues = malformed.length > 0 ? malformed : validateStatus(definition, desired.status);
  if (issues.length > 0) throw new InvalidDesiredError(resourceText(definition, seen.resource), issues);
  deepFreeze(desired);
  if (context.checksFunctions === true) assertRepeatable(context, seen, desired);
  return desired;
};

const assertRepeatable = (context: Computing, seen: Snapshot, desired: Desired<unknown>): void => {
  const what = `${calledFor(seen)} of ${resourceText(context.definition, seen.resource)}`;
  const again = (): unknown => answerOf(context, afresh(context, seen), { onStatusRead: () => undefined });
  assertPure({ what, desired, again });
};

/**
 * An asynchronous function is refused because its result is a promise. If the promise rejects as well, the rejection must not
 * end the process.
 */
const ignoreRejection = (result: unknown): void => {
  if (result instanceof Promise) result.catch(() => undefined);
};

const givenBy = (context: Computing, seen: Snapshot, { outcomes, asked }: TrackedOutcomes): Given => {
  let readsStatus = false;
  const onStatusRead = (): void => {
    readsStatus = true;
  };
  const desired = desiredOf(context, seen, { outcomes, onStatusRead });
  return { desired, answers: seen.related.answers(), outcomes: asked, readsStatus };
};

/**
 * The text of a thrown value, in one line: `kubectl` shows messages of conditions in tables. Any value can be thrown, including
 * one that cannot be converted to text.
 */
const inWords = (error: unknown): string => {
  try {
    const text = String(error instanceof Error ? error.message : error);
    return text
      .replace('\n  - ', ': ')
      .replaceAll('\n  - ', '; ')
      .replaceAll(/\s*[\r\n]\s*/g, ' ');
  } catch {
    return 'something was thrown that is no error';
  }
};

const RESTORING = progressing('Restoring', 'children that came back without their owner are adopted');

type AdoptStep = Extract<Step, { readonly step: 'adopt' }>;

/** Whether the adoption of an object was refused. If so, the rest of the resource is reconciled nevertheless. */
const wasRefused = ({ refused }: Snapshot, { kind, name }: AdoptStep): boolean =>
  refused.some((refusal) => refusal.verb === 'adopt' && refusal.kind === kind.kind && refusal.name === name);

/**
 * Plans the adoption of the children that a backup restored, before the function is called. A function that does not see these
 * children would create other children, and return a status without them. Disowned children are already among the children of the
 * snapshot, so the loop retries their adoption in parallel with the other writes.
 *
 * @returns the steps; and the decision, when the pass ends after these steps
 */
const givenBack = (
  { definition }: Computing,
  seen: Snapshot,
): { readonly steps: readonly AdoptStep[]; readonly first?: Decision } => {
  if (seen.restored.length === 0) return { steps: [] };
  const known = new Set(seen.children.map(({ object }) => object.metadata?.uid ?? ''));
  const steps = planRestored({ definition, resource: seen.resource, known }, seen.restored);
  if (steps.every((step) => known.has(step.uid) || wasRefused(seen, step))) return { steps };
  const desired = { children: [], status: ownStatus(seen), state: RESTORING };
  return { steps, first: { desired, plan: { steps, pins: seen.pins }, isRestoring: true } };
};

const idOf = ({ kind, name }: Step): string => `${kind.apiVersion} ${kind.kind} ${name}`;

/**
 * Adds adoptions to a plan, except for children that have another write. Such a write makes the adoption unnecessary: an apply
 * also sets the owner reference, and a deletion needs no owner reference.
 */
const withAdoptions = (plan: Plan, adoptions: readonly AdoptStep[]): Plan => {
  if (adoptions.length === 0) return plan;
  const written = new Set(plan.steps.filter(({ step }) => step !== 'skip').map(idOf));
  return { ...plan, steps: [...plan.steps, ...adoptions.filter((step) => !written.has(idOf(step)))] };
};

/**
 * Calls the kind's function (`finalize` while the resource is being deleted) and plans the steps. If the function or the selector
 * throws, or the result is invalid, the resource is `Stalled` and the plan is empty. If children must first be adopted after a
 * restore, the function is not called.
 *
 * @throws {DemandedError} when the function reads a member that the cache does not hold, or looks up an object that is a stub in
 *   the cache
 */
export const compute = (context: Computing, seen: Snapshot): Decision => {
  const { log, metrics } = context;
  const restored = givenBack(context, seen);
  if (restored.first) return restored.first;
  const tracked = trackOutcomes(seen.outcomes);
  const failedWith = (state: State): Decision => ({
    ...unableTo(seen, state),
    asked: { answers: seen.related.answers(), outcomes: tracked.asked },
  });
  try {
    const given = givenBy(context, seen, tracked);
    const { desired } = given;
    const planning = { definition: context.definition, ownNamespace: context.ownNamespace };
    const planned = planChildren({ ...seen, ...planning, desired });
    const plan = withAdoptions(planned, restored.steps);
    rememberPins(context, seen, plan.pins);
    const state = plan.stalled ?? desired.state;
    return { desired: { ...desired, state }, plan, given };
  } catch (error) {
    if (error instanceof DemandedError) throw error;
    if (error instanceof UnobservedError) return failedWith(stalled('UnobservedRead', error.message));
    const reason = isReconcileError(error) ? error.code : 'DesiredFailed';
    const message = inWords(error).slice(0, FAILURE_MESSAGE_LENGTH);
    log.error({ key: seen.key, error }, 'desired failed');
    const blame = seen.selectorError === undefined ? calledFor(seen) : 'selector()';
    context.onFailure?.({ what: `${blame} of ${context.definition.kind}`, key: seen.key, error });
    // If the result of the function is invalid, another call would have the same error.
    if (error instanceof InvalidDesiredError) metrics.failedForGood();
    else metrics.panicked();
    return failedWith(stalled(reason, message));
  }
};

/** The decision of a failed pass: no child is changed, the conditions show the state, and the rest of the status is unchanged. */
export const unableTo = (seen: Snapshot, state: State): Decision => ({ ...unchangedIn(seen, state), failed: true });

/** The decision of a pass that changes no child and only reports a state. */
export const unchangedIn = (seen: Snapshot, state: State): Decision => ({
  desired: { children: [], status: ownStatus(seen), state },
  plan: { steps: [], pins: new Map() },
});

/** The stored status, without the fields that the loop adds. */
const ownStatus = ({ resource }: Snapshot): object => {
  const { observedGeneration: _generation, conditions: _conditions, ...own } = { ...resource.status };
  return own;
};
