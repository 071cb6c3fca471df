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

/**
 * The ready pods of a resource over all runs. The pods are complete when all desired pods are ready. For a kind without a scale
 * subresource, the desired number is unknown: the pods are complete when the resource is ready, and so are all its pods.
 */
export interface ResourceRuns {
  /** The resource, such as `PodSet default/web`. */
  readonly object: string;
  /** The run with the fewest ready pods after the pods were complete for the first time. Absent if they never were. */
  readonly worst?: LowestReady;
  /** Number of runs by their fewest ready pods, in ascending order of `ready`. */
  readonly histogram: readonly { readonly ready: number; readonly runs: number }[];
  /** Number of runs in which the pods were never complete, or the resource had none. The histogram excludes these runs. */
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

/** Time at which a resource is ready for the first time: 0 if it reports no state, and infinite if it is never ready. */
const firstReadyMs = ({ bands, readyAtMs }: ResourceStory): number => readyAtMs ?? (bands.length === 0 ? 0 : Infinity);

/**
 * Whether all desired pods are ready. Without a desired number, all existing pods must be ready, and the resource must have been
 * ready once: while it starts, the existing pods are only a part of the pods that it will have.
 */
const isComplete = (story: ResourceStory, index: number): boolean => {
  const sample = story.samples[index];
  if (sample === undefined) return false;
  const ready = readyIn(sample);
  if (sample.wanted !== undefined) return ready >= Math.max(1, sample.wanted);
  const endMs = story.samples[index + 1]?.atMs ?? Infinity;
  return ready > 0 && sample.pods.every(({ notReady }) => notReady === 0) && endMs > firstReadyMs(story);
};

/**
 * The fewest ready pods of a resource in one run, after its pods were complete for the first time.
 *
 * @returns the number and its first time; undefined if the pods were never complete
 */
export const lowestReady = (story: ResourceStory): Omit<LowestReady, 'seed'> | undefined => {
  const start = story.samples.findIndex((_, index) => isComplete(story, index));
  if (start === -1) return undefined;
  return story.samples
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
 * the pods were complete for the first time (see {@link ResourceRuns}).
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
