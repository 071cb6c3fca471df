import { ConfigurationError, InvalidScriptError } from '#lib/errors.ts';
import type { ResourceStory, SimulationReport } from '#lib/foresight/simulate/report/report.ts';
import { type SimulateOptions, simulate } from '#lib/foresight/simulate/simulate.ts';

/** Maximum number of runs. */
const MOST_RUNS = 10_000;

/** Options for {@link simulateRuns}. */
export interface SimulateRunsOptions extends SimulateOptions {
  /** Number of runs, 1 to 10,000. The runs have consecutive seeds, which start at `seed`. */
  readonly runs: number;
}

/** The fewest ready pods of a resource in one run. */
export interface LowestReady {
  readonly seed: number;
  /** Number of ready pods. */
  readonly ready: number;
  /** The time, in milliseconds since the start. */
  readonly atMs: number;
}

/** The ready pods of a resource over all runs. */
export interface ResourceRuns {
  /** The resource, such as `PodSet default/web`. */
  readonly object: string;
  /**
   * The run with the fewest ready pods after all desired pods were ready for the first time. Absent if that happened in no run.
   */
  readonly worst?: LowestReady;
  /** Number of runs by their fewest ready pods, in ascending order of `ready`. */
  readonly histogram: readonly { readonly ready: number; readonly runs: number }[];
  /**
   * Number of runs in which not all desired pods were ever ready, or the resource had no pods. The histogram excludes these runs.
   */
  readonly neverComplete: number;
}

/** Result of many runs of a simulation, as plain data. */
export interface SimulationRuns {
  readonly title: string;
  readonly runs: number;
  readonly firstSeed: number;
  /** Simulated time of the longest run, in virtual milliseconds. */
  readonly durationMs: number;
  /** The resources with pods: first those that were never complete, then those with the fewest ready pods. */
  readonly resources: readonly ResourceRuns[];
  /** Sentences about kinds that the simulation leaves out. */
  readonly notes: readonly string[];
}

const readyIn = ({ pods }: ResourceStory['samples'][number]): number => pods.reduce((sum, { ready }) => sum + ready, 0);

/**
 * The fewest ready pods of a resource in one run, after all desired pods were ready for the first time.
 *
 * @returns the number and its first time; undefined if the desired pods were never all ready
 */
export const lowestReady = ({ samples }: ResourceStory): Omit<LowestReady, 'seed'> | undefined => {
  const start = samples.findIndex((sample) => readyIn(sample) >= Math.max(1, sample.wanted ?? 1));
  if (start === -1) return undefined;
  return samples
    .slice(start)
    .map((sample) => ({ ready: readyIn(sample), atMs: sample.atMs }))
    .reduce((lowest, sample) => (sample.ready < lowest.ready ? sample : lowest));
};

/** Collects the runs of one resource. */
class ResourceTally {
  readonly #object: string;
  readonly #counts = new Map<number, number>();
  #worst: LowestReady | undefined;

  constructor(object: string) {
    this.#object = object;
  }

  add(story: ResourceStory, seed: number): void {
    const lowest = lowestReady(story);
    if (lowest === undefined) return;
    this.#counts.set(lowest.ready, (this.#counts.get(lowest.ready) ?? 0) + 1);
    if (this.#worst === undefined || lowest.ready < this.#worst.ready) this.#worst = { seed, ...lowest };
  }

  /** @param runs - the number of all runs, which includes runs without the resource */
  finish(runs: number): ResourceRuns {
    const histogram = [...this.#counts].map(([ready, count]) => ({ ready, runs: count }));
    return {
      object: this.#object,
      ...(this.#worst && { worst: this.#worst }),
      histogram: histogram.toSorted((a, b) => a.ready - b.ready),
      neverComplete: runs - histogram.reduce((sum, bar) => sum + bar.runs, 0),
    };
  }
}

const runWith = async (options: SimulateOptions, seed: number): Promise<SimulationReport> =>
  simulate({ ...options, seed }).catch((error: unknown) => {
    if (!(error instanceof InvalidScriptError) || seed === (options.seed ?? 1)) throw error;
    throw new InvalidScriptError(
      error.issues.map((issue) => ({ ...issue, message: `${issue.message} (seed ${seed})` })),
    );
  });

const order = ({ object, worst }: ResourceRuns): readonly [number, string] => [worst?.ready ?? -1, object];

const byWorst = (a: ResourceRuns, b: ResourceRuns): number => {
  const [[readyA, objectA], [readyB, objectB]] = [order(a), order(b)];
  return readyA - readyB || (objectA < objectB ? -1 : 1);
};

/**
 * Simulates a script `runs` times, with consecutive seeds. For each resource and run, finds the lowest number of ready pods after
 * all pods were ready for the first time.
 *
 * Guarantees: equal options give equal results. `simulate()` with the seed of the worst run repeats this run.
 *
 * @throws {ConfigurationError} when `runs` is not a whole number from 1 to 10,000, and the errors of `simulate()`
 * @example
 * const { resources } = await simulateRuns({ kinds: [podSet], manifests, script, runs: 500 });
 */
export const simulateRuns = async ({ runs, ...options }: SimulateRunsOptions): Promise<SimulationRuns> => {
  if (!Number.isInteger(runs) || runs < 1 || runs > MOST_RUNS)
    throw new ConfigurationError(
      `Cannot simulate ${runs} runs: the number must be a whole number from 1 to ${MOST_RUNS}`,
    );
  const firstSeed = options.seed ?? 1;
  const tallies = new Map<string, ResourceTally>();
  let [title, durationMs] = ['', 0];
  let notes: readonly string[] = [];
  for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
    const report = await runWith(options, seed);
    title = report.title;
    notes = report.notes;
    durationMs = Math.max(durationMs, report.durationMs);
    for (const story of report.resources.filter(({ revisions }) => revisions.length > 0)) {
      const tally = tallies.get(story.object) ?? new ResourceTally(story.object);
      tallies.set(story.object, tally);
      tally.add(story, seed);
    }
  }
  const resources = [...tallies.values()].map((tally) => tally.finish(runs)).toSorted(byWorst);
  return { title, runs, firstSeed, durationMs, resources, notes };
};
