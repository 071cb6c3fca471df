import type { Desired } from '#lib/desired/desired.ts';
import { deepFreeze } from '#lib/desired/freeze.ts';
import { resultIssues } from '#lib/desired/result-check.ts';
import { progressing, type State, stalled } from '#lib/desired/state.ts';
import { InvalidDesiredError, isReconcileError, UnsupportedError } from '#lib/errors.ts';
import { validateStatus } from '#lib/kind/validate-status.ts';
import { type Context, rememberPins } from '#lib/loop/context.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { trackOutcomes } from './asked-outcomes.ts';
import type { Asked, Wanted } from './decision.ts';
import { isFinalizing } from './finalizer.ts';
import { type Computed, type Given, memorize, recall } from './memo.ts';
import { afresh, type CallParts, observationOfSeen } from './observe.ts';
import { assertPure } from './purity.ts';
import type { Seen } from './seen.ts';

/** metav1.Condition allows 32,768 characters; a person reads a few hundred. */
const MESSAGE_LENGTH = 1024;

/** What a computation needs of a loop. */
export type Computing = Pick<
  Context,
  'definition' | 'related' | 'log' | 'metrics' | 'onFailure' | 'checksFunctions' | 'lookups' | 'memory'
>;

const calledFor = (seen: Seen): string => (isFinalizing(seen) ? 'finalize()' : 'desired()');

const desiredOf = (context: Computing, seen: Seen, call: CallParts): Desired<unknown> => {
  const blame = seen.selectorError === undefined ? calledFor(seen) : 'selector()';
  try {
    if (seen.selectorError !== undefined) throw seen.selectorError;
    return checkedDesired(context, seen, call);
  } catch (error) {
    context.onFailure?.({ what: `${blame} of ${context.definition.kind}`, key: seen.key, error });
    throw error;
  } finally {
    // What a function looked up before it threw may be what made it throw.
    context.lookups.remember(
      seen.key,
      'related',
      seen.related.answers().map(({ lookup }) => lookup),
    );
  }
};

/** The finalizer of an earlier version is there, and nobody left who would know what it was for. */
const nothingToFinalize = (seen: Seen): Desired<unknown> => ({
  children: [],
  partial: 'the kind has no finalize() any more',
  status: ownStatus(seen),
  state: progressing('Deleting', 'nothing is left to be done'),
});

const answerOf = (context: Computing, seen: Seen, call: CallParts): Desired<unknown> => {
  const { desired, finalize } = context.definition;
  if (!isFinalizing(seen)) return desired(observationOfSeen(context, seen, call));
  return finalize ? finalize(observationOfSeen(context, seen, call)) : nothingToFinalize(seen);
};

const checkedDesired = (context: Computing, seen: Seen, call: CallParts): Desired<unknown> => {
  const { definition } = context;
  const desired = answerOf(context, seen, call);
  ignoreRejection(desired);
  const malformed = resultIssues(desired);
  const issues = malformed.length > 0 ? malformed : validateStatus(definition, desired.status);
  if (issues.length > 0) throw new InvalidDesiredError(`${definition.kind} "${seen.key}"`, issues);
  deepFreeze(desired);
  if (context.checksFunctions === true) assertRepeatable(context, seen, desired);
  return desired;
};

const assertRepeatable = (context: Computing, seen: Seen, desired: Desired<unknown>): void => {
  const what = `${calledFor(seen)} of ${context.definition.kind} "${seen.key}"`;
  const again = (): unknown => answerOf(context, afresh(context, seen), { onStatusRead: () => undefined });
  assertPure({ what, desired, again });
};

/** An asynchronous function is refused for its result, a promise; that this rejects as well must not end the process. */
const ignoreRejection = (result: unknown): void => {
  if (result instanceof Promise) result.catch(() => undefined);
};

/** What the function gave is not what the contract asks for: another try gives the same. Anything else it threw. */
const hasNoCure = (error: unknown): boolean =>
  error instanceof InvalidDesiredError || error instanceof UnsupportedError;

/** Filled on the way, so that it is known when a function fails. */
interface Trail {
  asked?: Asked;
}

const givenBy = (context: Computing, seen: Seen, trail: Trail): Given => {
  const { outcomes, asked } = trackOutcomes(seen.outcomes);
  trail.asked = {
    get answers() {
      return seen.related.answers();
    },
    outcomes: asked,
  };
  let readsStatus = false;
  const onStatusRead = (): void => {
    readsStatus = true;
  };
  const desired = desiredOf(context, seen, { outcomes, onStatusRead });
  return { desired, answers: seen.related.answers(), outcomes: asked, readsStatus };
};

/** Neither the function nor the plan is asked a second time for what they were asked before. */
const computed = (context: Computing, seen: Seen, trail: Trail): Computed => {
  const { definition } = context;
  const recalled = recall(definition, seen);
  if (recalled?.plan) return { given: recalled.given, plan: recalled.plan };
  if (recalled) trail.asked = recalled.given;
  const given = recalled?.given ?? givenBy(context, seen, trail);
  const plan = planChildren({ ...seen, definition, desired: given.desired });
  memorize(definition, seen, { given, plan });
  return { given, plan };
};

/** Anything may be thrown, also what cannot be made a text. */
const inWords = (error: unknown): string => {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'something was thrown that is no error';
  }
};

/**
 * Calls the kind's function (`finalize` while the resource is being deleted) and plans what follows. A function that
 * throws, or asks for what it must not, makes its own resource `Stalled` and touches nothing.
 */
export const compute = (context: Computing, seen: Seen): Wanted => {
  const { log, metrics } = context;
  const trail: Trail = {};
  try {
    const { given, plan } = computed(context, seen, trail);
    const { desired } = given;
    rememberPins(context, seen, plan.pins);
    const state = plan.stalled ?? desired.state;
    return { desired: { ...desired, state }, plan, given };
  } catch (error) {
    const reason = isReconcileError(error) ? error.code : 'DesiredFailed';
    const message = inWords(error).slice(0, MESSAGE_LENGTH);
    log.error({ key: seen.key, error }, 'desired failed');
    if (hasNoCure(error)) metrics.failedForGood();
    else metrics.panicked();
    return { ...unableTo(seen, stalled(reason, message)), ...trail };
  }
};

/** Nothing is done, and the status says why; the rest of it stays as it is. */
export const unableTo = (seen: Seen, state: State): Wanted => ({
  desired: { children: [], status: ownStatus(seen), state },
  plan: { steps: [], pins: new Map() },
  failed: true,
});

/** The status as it stands, without what the loop adds to it. */
const ownStatus = ({ resource }: Seen): object => {
  const { observedGeneration: _generation, conditions: _conditions, ...own } = { ...resource.status };
  return own;
};
