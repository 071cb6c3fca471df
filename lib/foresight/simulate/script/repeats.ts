import type { Issue } from '#lib/errors.ts';
import { luckOf } from '#lib/foresight/simulate/targets/luck.ts';
import type { JsonObject } from '#lib/json.ts';
import { durationMs } from './time-text.ts';

/** Maximum number of changes after repetition. */
const MAX_REPEATED = 10_000;

/** The members of a change that determine its repetition. */
interface Repeatable {
  readonly atMs: number;
  readonly fields: JsonObject;
  readonly path: string;
}

const issueOf = ({ path, fields }: Repeatable, field: string, message: string): { readonly issue: Issue } => ({
  issue: { path: `${path}.${field}`, rule: 'repeat', value: fields[field], message },
});

/**
 * Repeats a change as its fields `every`, `times` and `within` require.
 *
 * @param change - the change, with the time of its first occurrence
 * @param options - the end of the script, if it has one, and the seed of random times
 * @returns the occurrences, or an issue
 */
export const repeated = <T extends Repeatable>(
  change: T,
  { endMs, seed }: { readonly endMs: number | undefined; readonly seed: number },
): readonly (T & { readonly luck: string; readonly mayMiss?: true })[] | { readonly issue: Issue } => {
  const { fields, atMs, path } = change;
  const [everyMs, withinMs] = [durationMs(fields['every']), durationMs(fields['within'])];
  const { times } = fields;
  if (everyMs === undefined && times !== undefined && times !== 1)
    return issueOf(change, 'times', 'needs every: the time between two occurrences, such as every: 5m');
  if (everyMs === 0) return issueOf(change, 'every', 'must be longer than 0');
  if (everyMs !== undefined && withinMs !== undefined && withinMs > everyMs)
    return issueOf(change, 'within', 'must not be longer than every');
  if (everyMs !== undefined && times === undefined && endMs === undefined)
    return issueOf(change, 'every', 'has no end: add times, or give the script a duration');
  const untilEnd = Math.floor(((endMs ?? atMs) - atMs) / (everyMs ?? 1)) + 1;
  const count = everyMs === undefined ? 1 : typeof times === 'number' ? times : untilEnd;
  if (count > MAX_REPEATED)
    return issueOf(change, 'every', `gives ${count} changes; at most ${MAX_REPEATED} are allowed`);
  return Array.from({ length: count }, (_, round) => {
    const luck = `${seed} ${path} ${round}`;
    const delayMs = Math.floor(luckOf(`${luck} within`) * (withinMs ?? 0));
    const mayMiss = everyMs !== undefined || withinMs !== undefined;
    return {
      ...change,
      atMs: atMs + round * (everyMs ?? 0) + delayMs,
      luck,
      ...(mayMiss && { mayMiss: true as const }),
    };
  });
};
