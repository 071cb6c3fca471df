import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** A generation that no object has. This generation marks a status that the operator has not computed. */
const NO_GENERATION = -1;

/**
 * The minimum of `observedGeneration`. The API server refuses a default that does not fit its schema, so the minimum must allow
 * the default.
 */
export const LEAST_GENERATION = NO_GENERATION;

/** The reason of the condition Ready before the first pass. */
const REASON = 'WaitingForOperator';

/**
 * The default status, which the API server returns for an object without a status.
 *
 * kstatus (which Flux and other tools use) treats an object without a status as finished. The `observedGeneration` of the default
 * status never equals the generation of an object. Until the operator has written a status, kstatus therefore treats the object
 * as in progress. The default does not change an object that has a status.
 *
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
export const unseenStatus: JsonObject = {
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: REASON,
      message: 'the operator has not looked at this resource yet',
      // The schema requires this field. A default cannot contain the creation time of the object.
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ],
  observedGeneration: NO_GENERATION,
};

/**
 * Returns the fields of a status that other controllers or a restored backup have written, without the fields of the default
 * status.
 *
 * @returns `undefined` when the status contains only the default
 */
export const withoutUnseen = <S extends JsonObject>(status: S): S | undefined => {
  const { observedGeneration: _, conditions, ...own } = status;
  const others = Array.isArray(conditions)
    ? conditions.filter((each) => !isPlainObject(each) || each['reason'] !== REASON)
    : [];
  if (others.length === 0 && Object.keys(own).length === 0) return undefined;
  return { ...own, ...(others.length > 0 && { conditions: others }) } as unknown as S;
};

/**
 * Whether the status of a resource is the default, because the operator has not written one.
 *
 * @param object - a resource as the API server returns it
 */
export const isUnseen = (object: object): boolean => {
  const { status } = object as { readonly status?: unknown };
  return isPlainObject(status) && status['observedGeneration'] === NO_GENERATION;
};
