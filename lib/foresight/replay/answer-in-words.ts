import { childPath } from '#lib/json.ts';
import type { RecordedStep } from '#lib/loop/record/pass-record.ts';

/** The sign of each step in texts. */
export const SIGNS: Readonly<Record<RecordedStep['step'], string>> = {
  create: '+',
  apply: '~',
  adopt: '~',
  release: '~',
  replace: '±',
  remove: '-',
  prune: '-',
  skip: '=',
};

const MAX_VALUE = 60;

/** A value as short text. */
export const shownValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
};

/** The lines of the top-level fields of a status or a spec. */
export const fieldLines = (status: unknown): readonly string[] =>
  Object.entries((status ?? {}) as Readonly<Record<string, unknown>>).map(
    ([name, value]) => `    ${childPath('', name)}: ${shownValue(value)}`,
  );
