import { dirname } from 'node:path';
import type { MutantCounts, MutantResult, StepResult, Survivor } from '#test/campaign/part.ts';
import { type MutantReason, reasonFor } from './reasons.ts';

interface Position {
  readonly line: number;
  readonly column: number;
}

/** A mutant in the JSON report of Stryker. Lines and columns begin at 1. */
interface ReportedMutant {
  readonly mutatorName: string;
  readonly replacement: string;
  readonly status: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

/**
 * The part of the JSON report of Stryker that counts.
 *
 * @see https://github.com/stryker-mutator/mutation-testing-elements/tree/master/packages/report-schema
 */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly ReportedMutant[] }>>;
}

/** The members of {@link MutantCounts} by the statuses of Stryker. Mutants that do not compile are not counted. */
const outcomes: Readonly<Record<string, keyof MutantCounts>> = {
  Killed: 'killed',
  RuntimeError: 'killed',
  Timeout: 'timeouts',
  Survived: 'survived',
  NoCoverage: 'uncovered',
  Ignored: 'ignored',
};

const NOTHING: MutantCounts = { killed: 0, timeouts: 0, survived: 0, uncovered: 0, ignored: 0 };

const plus = (one: MutantCounts, other: MutantCounts): MutantCounts => ({
  killed: one.killed + other.killed,
  timeouts: one.timeouts + other.timeouts,
  survived: one.survived + other.survived,
  uncovered: one.uncovered + other.uncovered,
  ignored: one.ignored + other.ignored,
});

const countsOf = (mutants: readonly ReportedMutant[], file: string): MutantCounts => {
  const counts = { ...NOTHING };
  for (const { status, location } of mutants) {
    const outcome = outcomes[status];
    if (!outcome) throw new TypeError(`The mutant in ${file}, line ${location.start.line}, has the status "${status}"`);
    counts[outcome] += 1;
  }
  return counts;
};

/** Enough to recognize a piece of code in a list. */
const MAX_CODE_LENGTH = 160;

const brief = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_CODE_LENGTH ? `${line.slice(0, MAX_CODE_LENGTH)}…` : line;
};

const textAt = (source: string, { start, end }: ReportedMutant['location']): string => {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, index) => line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined))
    .join('\n');
};

const survivorsIn = (report: MutationReport, reasons: readonly MutantReason[]): readonly Survivor[] =>
  Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => outcomes[status] === 'survived' || outcomes[status] === 'uncovered')
      .map(({ mutatorName, replacement, location }) => {
        const { line, column } = location.start;
        const code = brief(textAt(source, location));
        const survivor = { at: `${file}:${line}:${column}`, mutator: mutatorName, code, changed: brief(replacement) };
        const reason = reasonFor(survivor, reasons);
        return reason === undefined ? survivor : { ...survivor, reason };
      }),
  );

/** Formats a mutant that no test finds. */
export const survivorText = ({ at, mutator, code, changed }: Survivor): string =>
  `${at} ${mutator}: \`${code}\` → \`${changed}\``;

const joinedCounts = (
  one: MutantResult['folders'],
  other: MutantResult['folders'],
): Readonly<Record<string, MutantCounts>> =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])]
      .toSorted()
      .map((folder) => [folder, plus(one[folder] ?? NOTHING, other[folder] ?? NOTHING)]),
  );

/** The mutants of the previous steps of a part together with those of the next step. */
export const joinedMutants = (before: MutantResult | undefined, next: MutantResult): MutantResult => ({
  folders: joinedCounts(before?.folders ?? {}, next.folders),
  survivors: [...(before?.survivors ?? []), ...next.survivors],
});

/**
 * The result of a step from the report of Stryker. A survivor without a reason is a failure.
 *
 * @param folderOf - the folder for which a file counts. @default the folder that contains the file
 * @throws {TypeError} for a status that Stryker gives only to mutants that were not tried
 */
export const mutantResult = (
  report: MutationReport,
  reasons: readonly MutantReason[],
  folderOf: (file: string) => string = dirname,
): StepResult => {
  const folders = Object.entries(report.files)
    .map(([file, { mutants }]) => ({ [folderOf(file)]: countsOf(mutants, file) }))
    .reduce(joinedCounts, {});
  const survivors = survivorsIn(report, reasons);
  const found = Object.values(folders).reduce((sum, { killed, timeouts }) => sum + killed + timeouts, 0);
  const open = survivors.filter(({ reason }) => reason === undefined);
  return { passed: found, failed: open.map(survivorText), mutants: { folders, survivors } };
};
