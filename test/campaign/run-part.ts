import { execFileSync } from 'node:child_process';
import { goModuleVersion } from '#test/control-plane/recipe.ts';
import { joinedMutants } from './mutants/report.ts';
import { runMutants } from './mutants/run.ts';
import type { CampaignPart, PartResult, StepResult } from './part.ts';
import { RESULTS, readPartResult, writePartResult } from './results.ts';
import { runTests } from './run-tests.ts';

const MINUTE_MS = 60_000;

const runOnce = async (part: CampaignPart, cases: string | undefined): Promise<StepResult> =>
  part.mutants ? runMutants(part, cases) : runTests(part, cases);

const git = (...words: readonly string[]): string => execFileSync('git', words, { encoding: 'utf8' }).trim();

/**
 * The commit that results are about.
 *
 * @throws {Error} if tracked files differ from it: such a run could not be repeated
 */
export const cleanCommit = (): string => {
  const changed = git(
    'status',
    '--porcelain',
    '--untracked-files=no',
    '--',
    '.',
    ':!test/campaign/results',
    ':!docs/campaign.md',
  );
  if (changed !== '')
    throw new Error(`Cannot record results: the working tree has changes; commit them first:\n${changed}`);
  return git('rev-parse', '--short=12', 'HEAD');
};

/** Number of cases of a part; 1 for a part that runs its files once. */
export const casesOf = ({ cases }: CampaignPart): number => cases?.all ?? 1;

const emptyResult = ({ name }: CampaignPart, commit: string): PartResult => ({
  part: name,
  commit,
  date: '',
  versions: { node: process.version, kubernetes: goModuleVersion('kube') },
  done: 0,
  passed: 0,
  failed: [],
  minutes: 0,
});

/** Runs the next step, and adds its result. */
const nextResult = async (part: CampaignPart, last: PartResult, once: typeof runOnce): Promise<PartResult> => {
  const began = performance.now();
  const count = Math.min(part.cases?.atOnce ?? 1, casesOf(part) - last.done);
  const cases = part.cases && `${(part.cases.first ?? 1) + last.done}+${count}`;
  const { passed, failed, mutants, segments = [] } = await once(part, cases);
  const named = cases === undefined || mutants ? failed : failed.map((name) => `CASES=${cases} ${name}`);
  return {
    ...last,
    date: new Date().toISOString().slice(0, 10),
    done: last.done + count,
    passed: last.passed + passed,
    failed: [...last.failed, ...named],
    ...(segments.length > 0 && { segments: [...(last.segments ?? []), ...segments] }),
    ...(mutants && { mutants: joinedMutants(last.mutants, mutants) }),
    // Many short steps: a sum of minutes that are rounded to one digit stays 0.
    minutes: Number((last.minutes + (performance.now() - began) / MINUTE_MS).toFixed(4)),
  };
};

/** Options of {@link runPart}. */
export interface RunPartOptions {
  readonly commit: string;
  /** No run of vitest begins after this many minutes. */
  readonly minutes: number;
  /** Runs one step. @default the tests of the part */
  readonly once?: typeof runOnce;
  /** Folder of the results. @default that of the committed ones */
  readonly folder?: string;
}

/**
 * Runs the cases of a part that its committed result does not have yet, and saves the result after each run of vitest. A result
 * of another commit is replaced.
 *
 * @returns the result; its `done` is less than {@link casesOf} if the time ended first
 */
export const runPart = async (
  part: CampaignPart,
  { commit, minutes, once = runOnce, folder = RESULTS }: RunPartOptions,
): Promise<PartResult> => {
  const last = readPartResult(part.name, folder);
  let result = last?.commit === commit && last.done < casesOf(part) ? last : emptyResult(part, commit);
  const startedAt = performance.now();
  while (result.done < casesOf(part) && performance.now() - startedAt < minutes * MINUTE_MS) {
    result = await nextResult(part, result, once);
    writePartResult(result, folder);
  }
  return result;
};
