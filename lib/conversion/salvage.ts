import type { Json } from '#lib/json.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import type { PatternMatcher } from '#lib/kind/value/scalar.ts';
import type { Kept } from './kept.ts';
import { restored, schemaAt } from './restore.ts';

/** The criteria for restoring an entry. */
export interface SalvageRules {
  /** The schema of the whole value. */
  readonly schema: JsonSchema;
  readonly matches: PatternMatcher | undefined;
  /**
   * Whether a restored value is acceptable. Converted back to the source version, it must equal the source object, or the value
   * without restored data converted back.
   */
  readonly saysSame: (value: Json) => boolean;
}

/** The result of {@link salvage}. */
export interface Salvaged {
  readonly value: Json;
  /** Entries that could not be restored, although their value has not changed. */
  readonly lost: readonly Kept[];
}

/**
 * Maximum number of checks of the whole value for one object. Few entries conflict with an edit; the limit bounds the cost of
 * forged entries.
 */
const MAX_CHECKS = 16;

/**
 * Restores kept data, and drops entries that violate the schema or contradict a value in the source version of the conversion.
 * These checks are necessary because any client can write the annotation. The API server validates values only in the version of
 * the request.
 *
 * Flow: drops entries with an unknown path or an invalid value → restores all other entries together → if the result is not
 * acceptable, tries each half of the entries separately → divides a half that fails again.
 *
 * Guarantees: values that the source version can express stay unchanged. The time is proportional to the size of the value and of
 * the entries.
 */
export const salvage = (value: Json, kept: readonly Kept[], { schema, matches, saysSame }: SalvageRules): Salvaged => {
  const options = matches ? { matches } : {};
  const problems = (candidate: Json): string[] =>
    checkValue(schema, candidate, options).map(({ path, rule }) => `${rule} ${path}`);
  const isPlace = ({ at }: Kept): boolean => schemaAt(schema, at) !== undefined;
  const fits = ({ at, was }: Kept): boolean =>
    was === undefined
      ? schemaAt(schema, at.slice(0, -1))?.required?.includes(at.at(-1) as string) !== true
      : checkValue(schemaAt(schema, at) ?? {}, was, options).length === 0;
  const known = new Set(problems(value));
  const isAcceptable = (candidate: Json): boolean =>
    problems(candidate).every((problem) => known.has(problem)) && saysSame(candidate);
  const lost: Kept[] = [];
  let checks = 0;
  const put = (before: Json, entries: readonly Kept[]): Json => {
    if (entries.length === 0) return before;
    checks += 1;
    const whole = checks > MAX_CHECKS ? undefined : restored(before, entries).value;
    if (whole !== undefined && isAcceptable(whole)) return whole;
    if (whole === undefined || entries.length === 1) {
      lost.push(...entries);
      return before;
    }
    const half = Math.floor(entries.length / 2);
    return put(put(before, entries.slice(0, half)), entries.slice(half));
  };
  const { fitting = [], unfit = [] } = Object.groupBy(kept.filter(isPlace), (entry) =>
    fits(entry) ? 'fitting' : 'unfit',
  );
  lost.push(...restored(value, unfit).entries);
  return { value: put(value, restored(value, fitting).entries), lost };
};
