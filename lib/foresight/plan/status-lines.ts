import type { FieldChange } from './field-changes.ts';

const CONDITION = /^status\.conditions(?:\[|$)/;
const READY = 'status.conditions[type=Ready].';

/** Moments say nothing about what changes. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T/;

const isMoment = ({ before, after }: FieldChange): boolean =>
  [before, after].some((value) => typeof value === 'string' && MOMENT.test(value));

/** Of a list how many there are: names of pods fill screens. */
const counted = (value: unknown): unknown => (Array.isArray(value) ? `${value.length} items` : value);

/**
 * What somebody wants to know of a status first: Ready, and what is neither a condition nor a moment; lists as counts. A list that
 * stays as long as it was is left out.
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
