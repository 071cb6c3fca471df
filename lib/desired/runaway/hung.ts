import { instantOf } from '#lib/desired/clock.ts';
import { type Condition, conditionsOf, derivedConditionTypes } from '#lib/desired/result/conditions.ts';
import { stalled } from '#lib/desired/result/state.ts';
import { ReconcileError } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** The reason of the condition Stalled on a resource whose function did not return. Stored: it outlives the process. */
export const HUNG = 'DesiredHung';

/** The maximum CPU time of one call, in milliseconds. A function that only decides needs about a thousandth of this time. */
export const CALL_LIMIT_MS = 1000;

const DOES_NOT_RETURN = 'the function of this kind does not return for this resource within 1 s of CPU time';
const WAY_OUT = 'correct the function, or change the spec of this resource';

const MESSAGE = `${DOES_NOT_RETURN}; it is tried again with that limit, so that it does not block others: ${WAY_OUT}`;

/** The error of a call that was interrupted, in the operator. */
export const hungError = (): ReconcileError => new ReconcileError(HUNG, MESSAGE);

/** The error of a call that was interrupted, where no operator tries it again. */
export const hungOnceError = (): ReconcileError => new ReconcileError(HUNG, `${DOES_NOT_RETURN}: ${WAY_OUT}`);

/** Whether a caught value says that a call was interrupted. */
export const isHung = (error: unknown): boolean => (error as { readonly code?: unknown } | undefined)?.code === HUNG;

const conditionsIn = (status: unknown): readonly Condition[] => {
  const conditions = isPlainObject(status) ? status['conditions'] : undefined;
  return Array.isArray(conditions) ? (conditions as Condition[]) : [];
};

/** Whether the function of a kind hung for a resource when it was last called, in this process or in an earlier one. */
export const isSuspect = (status: unknown): boolean =>
  conditionsIn(status).some((condition) => condition.type === 'Stalled' && condition.reason === HUNG);

/** The object as it stands, and the time. */
export interface Marked {
  readonly object: { readonly metadata: object; readonly status?: unknown };
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * The patch of the status that marks a resource whose function hangs. Bound to the version of the object, so that nothing
 * newer is overwritten; conditions of the kind itself stay as they are.
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
