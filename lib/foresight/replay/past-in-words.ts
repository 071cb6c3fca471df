import type { FieldChange } from '#lib/foresight/plan/field-changes.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { RecordedChild } from '#lib/loop/record/pass-record.ts';
import { fieldLines, SIGNS, shownValue } from './answer-in-words.ts';
import type { InputChange, PastResource } from './past.ts';

/** Maximum number of changed fields that the text shows of one object. */
const MAX_FIELDS = 8;

/** Whether an object is being deleted, its phase, and whether it is ready; empty if its recorded fields show none of them. */
const stateOf = ({ object }: RecordedChild): string => {
  const { metadata, status } = object as { readonly metadata?: JsonObject; readonly status?: unknown };
  const { phase, conditions } = isPlainObject(status) ? status : ({} as JsonObject);
  const ready = (Array.isArray(conditions) ? (conditions as JsonObject[]) : []).find(({ type }) => type === 'Ready');
  const words = [
    ...(metadata?.['deletionTimestamp'] === undefined ? [] : ['being deleted']),
    ...(typeof phase === 'string' ? [phase] : []),
    ...(ready === undefined ? [] : [ready['status'] === 'True' ? 'ready' : 'not ready']),
  ];
  return words.length === 0 ? '' : `: ${words.join(', ')}`;
};

const changedFieldLine = ({ path, before, after }: FieldChange): string =>
  `      ${path}: ${shownValue(before)} → ${shownValue(after)}`;

const changeLines = ({ what, change, fields }: InputChange): readonly string[] => {
  const more = fields.length - MAX_FIELDS;
  return [
    `    ${what} ${change}`,
    ...fields.slice(0, MAX_FIELDS).map(changedFieldLine),
    ...(more > 0 ? [`      and ${more} more fields`] : []),
  ];
};

const causeLines = ({ since, changes }: PastResource): readonly string[] => {
  if (since === undefined) return ['  no earlier pass of this resource is recorded'];
  if (changes.length === 0) return [`  no change since pass ${since}`];
  return [`  changed since pass ${since}`, ...changes.flatMap(changeLines)];
};

/** Formats a resource at a moment: its spec, its children, the changes since the previous pass, and the decision with its reasons. */
export const pastInWords = (past: PastResource): string => {
  const { kind, key, pass, at, resource, children, answer, incomplete } = past;
  const head = `${kind} ${key} at ${at} (pass ${pass})`;
  if (incomplete !== undefined || answer === undefined) return `${head}\n  The record is incomplete: ${incomplete}.\n`;
  const { state, steps, status, failed } = answer;
  return [
    head,
    '  spec',
    ...fieldLines((resource as unknown as { readonly spec?: unknown }).spec),
    `  children${children.length === 0 ? ': none' : ''}`,
    ...children.map((child) => `    ${child.kind} ${child.object.metadata?.name}${stateOf(child)}`),
    ...causeLines(past),
    `  decision: ${failed ? 'failed' : state.state}, ${state.reason}${state.message === '' ? '' : `: ${state.message}`}`,
    ...steps.map(({ step, kind: child, name, reason }) => `    ${SIGNS[step]} ${child} ${name} (${reason})`),
    '  status',
    ...fieldLines(status),
    '',
  ].join('\n');
};
