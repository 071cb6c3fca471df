import type { Mismatch } from './compare.ts';
import { generateSequence } from './generate.ts';
import { judge, type Verdict } from './judge.ts';
import type { KnownDifference } from './known-differences.ts';
import { type NormalPlayed, normalise } from './normalise.ts';
import { reportMismatch } from './report.ts';
import { shrink } from './shrink.ts';
import type { Step } from './step.ts';
import { play, type Target } from './target.ts';

/** One of the two servers that are compared. */
export interface Side {
  readonly name: string;
  /**
   * Creates a namespace for one sequence; `settleMs` is the time for which watches are read beyond their expected end.
   */
  readonly createTarget: (label: string, options?: { readonly settleMs?: number }) => Promise<Target>;
  readonly clean?: (target: Target) => Promise<void>;
}

interface Setup {
  /** The reference server, and the server under test. */
  readonly sides: readonly [Side, Side];
  /** @default those of the virtual cluster */
  readonly known?: readonly KnownDifference[];
}

/** The result of a run of many sequences. */
export interface Outcome {
  readonly sequences: number;
  readonly steps: number;
  /** One text per sequence with differences. */
  readonly reports: readonly string[];
  /** Known differences that occurred. */
  readonly met: ReadonlySet<string>;
  /** Seeds of sequences that differed once, and not when they were repeated with longer waits. */
  readonly unrepeated: readonly number[];
}

interface SuiteOptions extends Setup {
  readonly seeds: readonly number[];
  /** Sequences at the same time. @default 8 */
  readonly inFlight?: number;
  /** Maximum number of mismatches to shrink, since each takes a while. @default 5 */
  readonly shrunk?: number;
}

/** Time for slow watches when a mismatch is checked again. */
const PATIENT_MS = 1000;

const record = async (
  steps: readonly Step[],
  side: Side,
  options: { label: string; settleMs?: number },
): Promise<readonly NormalPlayed[]> => {
  const { label, settleMs } = options;
  const target = await side.createTarget(label, settleMs === undefined ? {} : { settleMs });
  const played = await play(steps, target);
  const { namespace, now } = target;
  await side.clean?.(target);
  return normalise(played, { namespace, now: now() });
};

const compareSides = async (
  steps: readonly Step[],
  { sides, known }: Setup,
  options: { label: string; settleMs?: number },
): Promise<Verdict> => {
  const [expected, actual] = await Promise.all(sides.map((side) => record(steps, side, options)));
  return judge(expected ?? [], actual ?? [], known);
};

const isSame = (a: Mismatch, b: Mismatch | undefined): boolean =>
  b !== undefined && a.step.id === b.step.id && a.differences[0]?.path === b.differences[0]?.path;

interface Examined {
  readonly report?: string;
  readonly isUnrepeated?: true;
  readonly verdict: Verdict;
  readonly steps: number;
}

const examine = async (seed: number, setup: Setup, mayShrink: () => boolean): Promise<Examined> => {
  const steps = generateSequence(seed);
  const label = String(seed);
  const first = await compareSides(steps, setup, { label });
  if (first.mismatch === undefined) return { verdict: first, steps: steps.length };
  const patient = { label, settleMs: PATIENT_MS };
  const verdict = await compareSides(steps, setup, patient);
  const { mismatch } = verdict;
  if (mismatch === undefined) return { verdict, steps: steps.length, isUnrepeated: true };
  const stillFails = async (shorter: readonly Step[]): Promise<boolean> =>
    isSame(mismatch, (await compareSides(shorter, setup, { label, settleMs: 100 })).mismatch);
  const shortest = mayShrink() ? await shrink(steps, stillFails) : steps;
  const sides = [setup.sides[0].name, setup.sides[1].name] as const;
  const again = shortest === steps ? verdict : await compareSides(shortest, setup, patient);
  const report = reportMismatch({ seed, steps: shortest, mismatch: again.mismatch ?? mismatch, sides });
  return { verdict, steps: steps.length, report };
};

/** Sends the sequences of all seeds to both sides. */
export const runSuite = async ({ seeds, inFlight = 8, shrunk = 5, ...setup }: SuiteOptions): Promise<Outcome> => {
  const waiting = [...seeds];
  const reports: string[] = [];
  const unrepeated: number[] = [];
  const met = new Set<string>();
  let steps = 0;
  let toShrink = shrunk;
  const mayShrink = (): boolean => {
    toShrink -= 1;
    return toShrink >= 0;
  };
  const worker = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const examined = await examine(seed, setup, mayShrink);
      steps += examined.steps;
      for (const id of examined.verdict.met) met.add(id);
      if (examined.report !== undefined) reports.push(examined.report);
      if (examined.isUnrepeated) unrepeated.push(seed);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { sequences: seeds.length, steps, reports, met, unrepeated };
};
