import { instantOf } from '#lib/desired/clock.ts';
import { type Condition, conditionsOf, derivedConditionTypes } from '#lib/desired/result/conditions.ts';
import { stalled } from '#lib/desired/result/state.ts';
import { ReconcileError } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** The reason of the condition Stalled after a call that did not return. A later process reads the reason from the status. */
export const HUNG = 'DesiredHung';

/** The default time limit of one call, in milliseconds. Usual functions need about a thousandth of this time. */
export const CALL_LIMIT_MS = 1000;

const DOES_NOT_RETURN = 'the function of this kind does not return for this resource within 1 s of CPU time';
const WAY_OUT = 'correct the function, or change the spec of this resource';

const MESSAGE = `${DOES_NOT_RETURN}; it is tried again with that limit, so that it does not block others: ${WAY_OUT}`;

/** The error of an interrupted call in an operator, which calls the function again later. */
export const hungError = (): ReconcileError => new ReconcileError(HUNG, MESSAGE);

/** The error of an interrupted call in a tool, which does not call the function again. */
export const hungOnceError = (): ReconcileError => new ReconcileError(HUNG, `${DOES_NOT_RETURN}: ${WAY_OUT}`);

/** Whether a caught error means that a call was interrupted. */
export const isHung = (error: unknown): boolean => (error as { readonly code?: unknown } | undefined)?.code === HUNG;

const conditionsIn = (status: unknown): readonly Condition[] => {
  const conditions = isPlainObject(status) ? status['conditions'] : undefined;
  return Array.isArray(conditions) ? (conditions as Condition[]) : [];
};

/** Whether a status shows that the last call of a function for the resource did not return, in this or an earlier process. */
export const isSuspect = (status: unknown): boolean =>
  conditionsIn(status).some((condition) => condition.type === 'Stalled' && condition.reason === HUNG);

/** The input of {@link markingPatch}: the current object, and the time. */
export interface Marked {
  readonly object: { readonly metadata: object; readonly status?: unknown };
  /** The current time, in epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * The patch of the status that marks a resource for which a function does not return. The patch contains the resource version of
 * the object, so that it cannot replace a newer status. Conditions other than Ready, Reconciling and Stalled do not change.
 */
export const markingPatch = ({ object, nowMs }: Marked): JsonObject => {
  const { resourceVersion, generation = 0 } = object.metadata as { resourceVersion?: string; generation?: number };
  const previous = conditionsIn(object.status);
  const now = instantOf(Math.round(nowMs * 1000));
  const derived = conditionsOf({ state: stalled(HUNG, MESSAGE), previous, generation, now });
  const own = previous.filter(({ type }) => !derivedConditionTypes.includes(type));
  return {
    metadata: { resourceVersion },
    status: { observedGeneration: generation, conditions: [...derived, ...own] },
  };
};
