import { type FieldChange, valueChanges } from '#lib/foresight/plan/field-changes.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';
import type { RecordedAnswer, RecordedStep } from '#lib/loop/record/pass-record.ts';

const idOf = ({ apiVersion, kind, name }: RecordedStep): string => `${apiVersion} ${kind} ${name}`;

const inWords = (step: RecordedStep | undefined): string | undefined => step && `${step.step} (${step.reason})`;

const isKeptSecret = (step: RecordedStep | undefined): boolean =>
  step !== undefined && isSecret(step) && (step.step === 'apply' || step.step === 'skip');

const below = (path: string, { path: rest, ...values }: FieldChange): FieldChange => ({
  path: rest === '' ? path : `${path}.${rest}`,
  ...values,
});

const stepChanges = (before: RecordedStep | undefined, after: RecordedStep | undefined): readonly FieldChange[] => {
  const [then, now] = [inWords(before), inWords(after)];
  const { kind, name } = (after ?? before) as RecordedStep;
  const path = `steps[${kind} ${name}]`;
  // A record contains no values of Secrets, so writes to existing Secrets cannot be compared.
  if (isKeptSecret(before) && isKeptSecret(after)) return [];
  if (then === now) return valueChanges(before?.object, after?.object).map((one) => below(path, one));
  return [{ path, ...(then !== undefined && { before: then }), ...(now !== undefined && { after: now }) }];
};

/** Lists the differences between two results of a function: state and status by field, steps by child. */
export const answerChanges = (before: RecordedAnswer, after: RecordedAnswer): readonly FieldChange[] => {
  const { steps: oldSteps, ...old } = before;
  const { steps: newSteps, ...now } = after;
  const [then, today] = [oldSteps, newSteps].map((steps) => new Map(steps.map((step) => [idOf(step), step])));
  const ids = [...new Set([...(then?.keys() ?? []), ...(today?.keys() ?? [])])];
  return [...valueChanges(old, now), ...ids.flatMap((id) => stepChanges(then?.get(id), today?.get(id)))];
};
