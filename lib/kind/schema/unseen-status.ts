import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** No generation of an object: what is read as a status that was computed from no spec. */
const NO_GENERATION = -1;

/** What `observedGeneration` may be at least, as the API server refuses a default that does not fit its schema. */
export const LEAST_GENERATION = NO_GENERATION;

/** The reason of Ready before the first pass. */
const REASON = 'WaitingForOperator';

/**
 * The status that the API server returns for an object without one.
 *
 * kstatus, and with it Flux and tools like `kubectl wait`, treats an object without a status as finished. With a generation
 * that the object never has, the object is in progress until the operator has written a status. An object with a status keeps
 * its own.
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
      // Required by the schema; a default cannot know when the object was created.
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ],
  observedGeneration: NO_GENERATION,
};

/**
 * The rest of a default status: fields that other controllers or a restored backup have written.
 *
 * @returns `undefined` when nothing is left
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
