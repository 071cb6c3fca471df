import { type FieldChange, fieldChanges } from '#lib/foresight/plan/field-changes.ts';
import type { JsonObject } from '#lib/json.ts';
import type { ReportField } from './report-run.ts';

/** The fields of an object as text, by path. */
export type FieldValues = ReadonlyMap<string, string>;

/** Maximum length of a value, in characters. */
const MAX_VALUE = 600;

/** A value as text: strings as they are, other values as JSON. Long values are cut. */
const reportValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}… (${text.length} characters)` : text;
};

/** The fields of an object, without API version, kind, the metadata that the server sets, and values of Secrets. */
export const fieldValuesOf = (object: JsonObject): FieldValues =>
  new Map(
    fieldChanges(undefined, object).flatMap(({ path, after }) =>
      path === 'apiVersion' || path === 'kind' ? [] : [[path, reportValue(after)] as const],
    ),
  );

/** The fields that differ between two states of an object, sorted by path. */
export const reportFieldsBetween = (before: FieldValues, after: FieldValues): readonly ReportField[] =>
  [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((path): ReportField[] => {
    const [old, now] = [before.get(path) ?? null, after.get(path) ?? null];
    return old === now ? [] : [[path, old, now]];
  });

/** Field changes of a plan, as a report page shows them. */
export const reportFieldsOf = (changes: readonly FieldChange[]): readonly ReportField[] =>
  changes.map(({ path, before, after }) => [
    path,
    before === undefined ? null : reportValue(before),
    after === undefined ? null : reportValue(after),
  ]);
