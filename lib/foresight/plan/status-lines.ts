import type { FieldChange } from './field-changes.ts';

const CONDITION = /^status\.conditions(?:\[|$)/;
const READY = 'status.conditions[type=Ready].';

/** Matches timestamps, which the text leaves out. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T/;

const isMoment = ({ before, after }: FieldChange): boolean =>
  [before, after].some((value) => typeof value === 'string' && MOMENT.test(value));

/** Replaces a list by its length, because a list of names of pods can be very long. */
const counted = (value: unknown): unknown => (Array.isArray(value) ? `${value.length} items` : value);

/**
 * Selects the important changes of a status: the condition Ready, and fields other than conditions, timestamps and the observed
 * generation. A list is replaced by its length. A list of unchanged length is left out.
 */
export const essentialsOf = (fields: readonly FieldChange[]): readonly FieldChange[] => {
  const ready = fields.filter(({ path }) => path === `${READY}status` || path === `${READY}reason`);
  const others = fields.filter(
    (field) => !CONDITION.test(field.path) && field.path !== 'status.observedGeneration' && !isMoment(field),
  );
  return [...ready, ...others]
    .map(({ path, ...values }) => ({
      path: path.replace(READY, 'Ready.').replace(/^status\./, ''),
      ...('before' in values && { before: counted(values.before) }),
      ...('after' in values && { after: counted(values.after) }),
    }))
    .filter(({ before, after }) => before !== after);
};
