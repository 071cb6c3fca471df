import type { TraceEntry } from '#lib/sim/world/step/trace.ts';
import { timeline } from '#lib/sim/world/step/trace.ts';
import {
  type Disturbance,
  type DisturbedRunOptions,
  type Problem,
  type Run,
  runDisturbed,
  type Simulation,
} from './run.ts';
import { followSchedule, type Schedule, waitingFor } from './schedule.ts';
import { shrinkList } from './shrink.ts';

/** A failed run, and the shortest known schedule that fails in the same way. */
export interface Failure {
  readonly scenario: string;
  readonly seed: number;
  readonly problem: Problem;
  readonly schedule: Schedule;
  /**
   * Trace of the whole run: the steps that `schedule` stands for, and then the steps without faults, until the cluster is at rest
   * or the run fails.
   */
  readonly trace: readonly TraceEntry[];
  /** The schedule of the failed run before the search for a shorter schedule. */
  readonly found: Schedule;
  /** Number of runs that the search for a shorter schedule needed. */
  readonly runs: number;
}

/** Returns a function that takes the steps of a schedule in a world. */
export const disturbanceOf =
  (schedule: Schedule, options: Parameters<typeof followSchedule>[2] = {}): Disturbance =>
  async (world) =>
    followSchedule(world, schedule, options);

const MAX_RUNS = 1000;

/** Options for {@link shrinkFailure}. */
export interface ShrinkFailureOptions extends DisturbedRunOptions {
  /** Maximum number of runs. @default 1000 */
  readonly maxRuns?: number;
}

const isChosen = ({ nature }: TraceEntry): boolean => nature === 'fault' || nature === 'harmless';

class Shrinker {
  readonly #simulation: Simulation;
  readonly #options: ShrinkFailureOptions;
  readonly #sort: string;
  best: Run & { readonly problem: Problem };
  runs = 0;

  constructor(simulation: Simulation, found: Run & { readonly problem: Problem }, options: ShrinkFailureOptions) {
    this.#simulation = simulation;
    this.#options = options;
    this.#sort = found.problem.sort;
    this.best = found;
  }

  async shrink(): Promise<void> {
    await this.#faultsAlone();
    await this.#list();
    await this.#waiting();
    await this.#list();
  }

  readonly #mayTry = (): boolean => this.runs < (this.#options.maxRuns ?? MAX_RUNS);

  readonly #fails = async (schedule: Schedule): Promise<boolean> => {
    this.runs += 1;
    const run = await runDisturbed(this.#simulation, disturbanceOf(schedule), this.#options);
    const { problem } = run;
    if (problem?.sort !== this.#sort) return false;
    this.best = { ...run, schedule, problem };
    return true;
  };

  /**
   * Tries to keep only the faults and the harmless steps of the schedule. Before each of them, the run takes the steps that
   * would happen without faults, until the kept step is possible.
   */
  async #faultsAlone(): Promise<void> {
    const { trace, schedule } = this.best;
    const chosen = trace.slice(0, schedule.length).filter(isChosen);
    if (this.#mayTry()) await this.#fails(chosen.map(({ label }) => waitingFor(label)));
  }

  async #list(): Promise<void> {
    await shrinkList(this.best.schedule, { fails: this.#fails, mayTry: this.#mayTry });
  }

  /**
   * Tries to replace the steps before each entry by the steps that would happen without faults. Such steps need no entries of
   * their own.
   */
  async #waiting(): Promise<void> {
    if (!this.#mayTry() || (await this.#fails(this.best.schedule.map(waitingFor)))) return;
    for (let index = this.best.schedule.length - 1; index >= 0 && this.#mayTry(); index -= 1) {
      await this.#fails(this.best.schedule.map((entry, at) => (at === index ? waitingFor(entry) : entry)));
    }
  }
}

/**
 * Searches for a shorter schedule that fails in the same way. The search is deterministic, and makes at most `maxRuns` runs.
 *
 * Flow: keep only the faults and harmless steps → remove groups of steps → remove single steps → before each remaining entry,
 * replace the steps by the steps that would happen without faults.
 */
export const shrinkFailure = async (
  simulation: Simulation,
  found: Run & { readonly problem: Problem },
  options: ShrinkFailureOptions,
): Promise<Failure> => {
  const shrinker = new Shrinker(simulation, found, options);
  await shrinker.shrink();
  const { problem, schedule, trace } = shrinker.best;
  const { name } = simulation.scenario;
  return { scenario: name, seed: options.seed, problem, schedule, trace, found: found.schedule, runs: shrinker.runs };
};

const isRenewal = ({ label }: TraceEntry): boolean =>
  / ← (?:watch \S+ (?:ends|nears its end)|BOOKMARK \S+)$/.test(label) || label.includes(' → watch ');

/** Drops the last entries of a trace in which only time passes and watches are renewed. */
const withoutRest = (trace: readonly TraceEntry[]): readonly TraceEntry[] => {
  const last = trace.findLastIndex((entry) => entry.nature !== 'time' && !isRenewal(entry));
  return trace.slice(0, last + 1);
};

/** A failure as text: the problem, the schedule, the trace, and the call that repeats the run. */
export const failureInWords = ({ scenario, seed, problem, schedule, trace, found, runs }: Failure): string =>
  [
    `scenario "${scenario}", seed ${seed}: ${problem.message}`,
    `${schedule.length} steps lead to it (shrunk from ${found.length} in ${runs} runs; … stands for the steps of a calm world until then):`,
    ...schedule.map((entry) => `  ${entry}`),
    'what happened:',
    timeline(withoutRest(trace)),
    `again: runDisturbed(simulation, disturbanceOf(schedule), { seed: ${seed}, expected: await runUndisturbed(simulation) }) with these steps as schedule`,
  ].join('\n');
