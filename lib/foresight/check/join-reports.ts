import { type FaultCoverage, WRITE_FAULTS } from '#lib/sim/explore/coverage.ts';
import type { CheckReport } from './check.ts';

const union = (lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())].toSorted();

const joinCoverage = (all: readonly FaultCoverage[]): FaultCoverage => {
  const hit = Object.fromEntries(WRITE_FAULTS.map((name) => [name, union(all.map((one) => one.hit[name]))]));
  return { writes: union(all.map(({ writes }) => writes)), hit: hit as unknown as FaultCoverage['hit'] };
};

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/**
 * Joins the reports of the parts of a check to the report of the whole check.
 *
 * @param parts - the reports, in the order of the parts: the search, and consecutive ranges of seeds; at least one. Only the last
 *   one may have a failure
 */
export const joinReports = (parts: readonly CheckReport[]): CheckReport => {
  const { way, failure, notes = [] } = parts.at(-1) ?? {};
  const coverage = parts.flatMap((part) => part.coverage ?? []);
  return {
    schedules: sum(parts.map(({ schedules }) => schedules)),
    states: sum(parts.map(({ states }) => states)),
    completeDepth: Math.max(...parts.map(({ completeDepth }) => completeDepth)),
    isExhausted: parts.some(({ isExhausted }) => isExhausted),
    untried: sum(parts.map(({ untried }) => untried)),
    notes,
    ...(coverage.length > 0 && { coverage: joinCoverage(coverage) }),
    ...(way && { way }),
    ...(failure && { failure }),
  };
};
