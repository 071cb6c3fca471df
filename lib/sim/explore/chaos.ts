import { type Random, randomOf } from '#lib/sim/world/step/random.ts';
import { FAULT_CLASSES, type FaultClass, type WorldStep } from '#lib/sim/world/step/step.ts';
import type { World } from '#lib/sim/world/world.ts';

/** Options for random schedules. */
export interface ChaosOptions {
  /**
   * Maximum number of steps until the faults stop. After these steps, a run continues without faults until the cluster is at
   * rest.
   *
   * @default 120
   */
  readonly steps?: number;
  /** Maximum number of faults. @default 8 */
  readonly faults?: number;
  /** Relative probability of each class of faults; 0 excludes the class. @default 1 for each class, 0 for stale lists */
  readonly weights?: Readonly<Partial<Record<FaultClass, number>>>;
}

/**
 * Default weights of faults. Stale lists have the weight 0, because lists of the API server are consistent. The option `weights`
 * can include stale lists, because a restored or misconfigured API server may return an old list.
 */
const DEFAULT_WEIGHTS: Readonly<Partial<Record<FaultClass, number>>> = { 'stale list': 0 };

/**
 * The random parameters of one schedule. Schedules have different parameters: if all had all classes of faults, the faults would
 * hide a failure that a single slow channel causes.
 */
interface Temper {
  readonly steps: number;
  readonly faultsLeft: number;
  readonly faultRate: number;
  readonly scriptRate: number;
  readonly timeRate: number;
  readonly harmlessRate: number;
  readonly weights: ReadonlyMap<FaultClass, number>;
}

const oneOf = <Value>(random: Random, values: readonly [Value, ...Value[]]): Value =>
  values[random.below(values.length)] ?? values[0];

/**
 * Draws the weights of one schedule. Each class is left out with a probability of 1/2.
 *
 * @see Groce et al., Swarm Testing, ISSTA 2012
 */
const swarm = (random: Random, { weights }: ChaosOptions, hasOutside: boolean): ReadonlyMap<FaultClass, number> => {
  const all = { ...DEFAULT_WEIGHTS, ...weights };
  // An impossible class takes no random number, so that a scenario without HTTP keeps its schedules for each seed.
  const classes = FAULT_CLASSES.filter((fault) => fault !== 'http' || hasOutside);
  const drawn = classes.map((fault) => [fault, random.next() < 0.5 ? 0 : (all[fault] ?? 1)] as const);
  return new Map(drawn.filter(([, weight]) => weight > 0));
};

const temperOf = (random: Random, options: ChaosOptions, hasOutside: boolean): Temper => {
  const { steps = 120, faults = 8 } = options;
  return {
    steps: 1 + random.below(steps),
    faultsLeft: random.below(faults + 1),
    faultRate: oneOf(random, [0.03, 0.1, 0.3]),
    scriptRate: oneOf(random, [0.02, 0.1, 0.3]),
    timeRate: oneOf(random, [0.02, 0.1, 0.3]),
    harmlessRate: oneOf(random, [0, 0.02, 0.1]),
    weights: swarm(random, options, hasOutside),
  };
};

const LAGS = [1, 1, 1, 0.3, 0.03] as const;

/** The channel of a step: its label without the object. All steps of a channel are slow or fast together. */
const channelOf = (label: string): string =>
  label
    .replace(/ (?:ADDED|MODIFIED|DELETED|BOOKMARK)\b/, '')
    .split(' ', 4)
    .join(' ')
    .replace(/\S+\/\S+$/, '');

const weightedOf = (
  steps: readonly WorldStep[],
  random: Random,
  weightOf: (step: WorldStep) => number,
): WorldStep | undefined => {
  const weights = steps.map(weightOf);
  let point = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  return steps.find((_, index) => (point -= weights[index] ?? 0) < 0) ?? steps.at(-1);
};

/** Chooses the steps of one schedule at random. The random numbers depend only on the seed. */
class Chaos {
  readonly #random: Random;
  readonly #temper: Temper;
  /**
   * The weight of each channel; a low weight makes a channel slow. The map also has the weights by the labels of steps, as a
   * cache.
   */
  readonly #lags = new Map<string, number>();
  #faultsLeft: number;

  constructor(random: Random, { outside }: World, options: ChaosOptions) {
    this.#random = random;
    this.#temper = temperOf(random, options, outside.allowedHosts !== undefined);
    this.#faultsLeft = this.#temper.faultsLeft;
  }

  get steps(): number {
    return this.#temper.steps;
  }

  next(world: World): WorldStep | undefined {
    const { faultRate, scriptRate, timeRate, harmlessRate } = this.#temper;
    const point = this.#random.next();
    if (point < faultRate) return this.#fault(world) ?? this.#progress(world);
    if (point < faultRate + scriptRate) return world.scriptStep() ?? this.#progress(world);
    if (point < faultRate + scriptRate + timeRate) return world.cluster.timeStep() ?? this.#progress(world);
    if (point < faultRate + scriptRate + timeRate + harmlessRate) return this.#harmless(world) ?? this.#progress(world);
    return this.#progress(world);
  }

  #progress(world: World): WorldStep | undefined {
    const steps = world.cluster.progress();
    if (steps.length === 0) return world.scriptStep() ?? world.cluster.timeStep();
    return weightedOf(steps, this.#random, ({ label }) => this.#lagOf(label));
  }

  #lagOf(label: string): number {
    const known = this.#lags.get(label);
    if (known !== undefined) return known;
    const channel = channelOf(label);
    const lag = this.#lags.get(channel) ?? oneOf(this.#random, LAGS);
    this.#lags.set(channel, lag).set(label, lag);
    return lag;
  }

  /**
   * Chooses the class first, and then a step of this class. Otherwise crashes would be rare, because at most times there are many
   * more possible error responses than crashes.
   */
  #fault(world: World): WorldStep | undefined {
    if (this.#faultsLeft === 0) return undefined;
    const { weights } = this.#temper;
    const steps = world.cluster.others().filter(({ fault }) => fault !== undefined && weights.has(fault));
    const classes = [...new Set(steps.flatMap(({ fault }) => fault ?? []))];
    let point = this.#random.next() * classes.reduce((sum, fault) => sum + (weights.get(fault) ?? 0), 0);
    const chosen = classes.find((fault) => (point -= weights.get(fault) ?? 0) < 0);
    const ofClass = steps.filter(({ fault }) => fault === chosen);
    const step = ofClass[this.#random.below(ofClass.length)];
    if (step !== undefined) this.#faultsLeft -= 1;
    return step;
  }

  #harmless(world: World): WorldStep | undefined {
    const steps = world.cluster.others().filter(({ nature }) => nature === 'harmless');
    return steps[this.#random.below(steps.length)];
  }
}

/**
 * Takes random steps until the schedule has its number of steps, an invariant is violated, or no step is possible. The seed
 * decides every choice.
 */
export const takeRandomSteps = async (world: World, seed: number, options: ChaosOptions = {}): Promise<void> => {
  const chaos = new Chaos(randomOf(seed).fork('schedule'), world, options);
  for (let steps = 0; steps < chaos.steps && world.violation === undefined; steps += 1) {
    const step = chaos.next(world);
    if (step === undefined) return;
    await world.take(step);
  }
};
