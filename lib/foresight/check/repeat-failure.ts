import type { SimulationListener } from '#lib/foresight/simulate/observe/listener.ts';
import { Observer } from '#lib/foresight/simulate/observe/observer.ts';
import { startObserved } from '#lib/foresight/simulate/observe/start-observed.ts';
import { stepActor } from '#lib/foresight/simulate/simulate.ts';
import { KnownKinds } from '#lib/foresight/simulate/targets/known-kinds.ts';
import { prepared } from '#lib/sim/explore/run.ts';
import { constantRandom } from '#lib/sim/world/step/random.ts';
import { World } from '#lib/sim/world/world.ts';
import { type CheckOptions, type CheckReport, simulationFor } from './check.ts';

/** Receives the changes of objects in a repeated run. */
export interface FailureListener extends SimulationListener {
  /** Called after each repeated step. */
  ends(): void;
}

/**
 * Repeats the failing run of a report, step by step.
 *
 * Guarantees: never throws because of the failure itself. The run ends early if a step is not possible again.
 *
 * @param options - the options of the check
 */
export const repeatFailure = async (
  options: CheckOptions,
  { way, failure }: CheckReport,
  listener: FailureListener,
): Promise<void> => {
  if (failure === undefined) return;
  const { scenario, createServer } = prepared(simulationFor(options).simulation);
  // The operators start in the steps, after the observer is made.
  const start = startObserved(() => observer);
  const random = way === 'search' ? { random: constantRandom(0.5) } : {};
  const world = new World({ scenario: { ...scenario, start }, seed: failure.seed, createServer, ...random });
  const observer = new Observer({
    server: world.server,
    kinds: new KnownKinds(options.kinds),
    own: options.kinds,
    elapsedMs: () => world.elapsedMs,
    listener,
  });
  for (const entry of failure.trace) {
    if (world.find(entry.label) === undefined) return;
    observer.begins(entry.nature === 'script' ? 'user' : stepActor(entry));
    await world.take(entry.label).catch(() => undefined);
    listener.ends();
  }
};
