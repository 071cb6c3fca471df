import { type FieldChange, valueChanges } from '#lib/foresight/plan/field-changes.ts';
import type { RecordedAnswer, RecordedStep } from '#lib/loop/record/pass-record.ts';

const idOf = ({ apiVersion, kind, name }: RecordedStep): string => `${apiVersion} ${kind} ${name}`;

const inWords = (step: RecordedStep | undefined): string | undefined => step && `${step.step} (${step.reason})`;

const below = (path: string, { path: rest, ...values }: FieldChange): FieldChange => ({
  path: rest === '' ? path : `${path}.${rest}`,
  ...values,
});

const stepChanges = (before: RecordedStep | undefined, after: RecordedStep | undefined): readonly FieldChange[] => {
  const [then, now] = [inWords(before), inWords(after)];
  const { kind, name } = (after ?? before) as RecordedStep;
  const path = `steps[${kind} ${name}]`;
  if (then === now) return valueChanges(before?.object, after?.object).map((one) => below(path, one));
  return [{ path, ...(then !== undefined && { before: then }), ...(now !== undefined && { after: now }) }];
};

/** Where two answers differ: state and status field by field, steps by their child. */
export const answerChanges = (before: RecordedAnswer, after: RecordedAnswer): readonly FieldChange[] => {
  const { steps: oldSteps, ...old } = before;
  const { steps: newSteps, ...now } = after;
  const [then, today] = [oldSteps, newSteps].map((steps) => new Map(steps.map((step) => [idOf(step), step])));
  const ids = [...new Set([...(then?.keys() ?? []), ...(today?.keys() ?? [])])];
  return [...valueChanges(old, now), ...ids.flatMap((id) => stepChanges(then?.get(id), today?.get(id)))];
};
