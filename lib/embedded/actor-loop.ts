import type { Actor, ActorStep } from '#lib/controllers/actor.ts';
import { actorsDueMs } from '#lib/sim/world/step/actor-steps.ts';

/** Options of {@link ActorLoop}. */
export interface ActorLoopOptions {
  readonly actors: readonly Actor[];
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
  /** Returns the server's resource version, which grows with every write. */
  readonly version: () => string;
  /** Called after a turn with at least one step and without an error. */
  readonly onTurn?: () => void;
  /** Called with an error that a step threw. The loop continues after a pause, or at the next write. */
  readonly onError: (error: unknown) => void;
}

/** After this time, in milliseconds, the actors pause, so that the process can handle requests. */
const SLICE_MS = 10;

/** If this many consecutive steps of a turn change no object, the actors count as making no progress. */
const IDLE_STEPS = 1000;

/** Pause after steps without progress, or after an error, in milliseconds. */
const REST_MS = 500;

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs the actors of a cluster in real time.
 *
 * Flow: after a write ({@link wake}), or when a timer fires, the actors take steps in turn until no step is due. Then a timer
 * waits for the next due step. The loop pauses after 10 ms, so that the process can handle requests, and for half a second after
 * an error or 1000 steps without a change.
 *
 * Guarantees: the loop takes one step at a time, and never takes a step that is a fault. No code runs while there are no writes
 * and no due steps. Timers do not keep the process alive.
 */
export class ActorLoop {
  readonly #options: ActorLoopOptions;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ActorLoopOptions) {
    this.#options = options;
  }

  /** Schedules a turn of the actors, after a write. */
  wake(): void {
    if (!this.#isClosed) this.#immediate ??= setImmediate(() => this.#turn());
  }

  close(): void {
    this.#isClosed = true;
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
  }

  #turn(): void {
    this.#immediate = undefined;
    clearTimeout(this.#timer);
    const end = performance.now() + SLICE_MS;
    let [steps, idle] = [0, 0];
    let hasMore = true;
    while (hasMore && idle < IDLE_STEPS && performance.now() < end) {
      const before = this.#options.version();
      const made = this.#round();
      if (made < 0) return this.#rest();
      steps += made;
      idle = this.#options.version() === before ? idle + made : 0;
      hasMore = made > 0;
    }
    if (steps > 0) this.#options.onTurn?.();
    if (idle >= IDLE_STEPS) this.#rest();
    else if (hasMore) this.wake();
    else this.#waitForNext();
  }

  /** Takes one step of every actor that has a due step. @returns the number of steps; -1 when a step failed */
  #round(): number {
    let made = 0;
    for (const actor of this.#options.actors) {
      try {
        const step = this.#dueStep(actor);
        if (step === undefined) continue;
        step.run();
        made += 1;
      } catch (error) {
        this.#options.onError(error);
        return -1;
      }
    }
    return made;
  }

  #dueStep(actor: Actor): ActorStep | undefined {
    const now = this.#options.now();
    return actor.steps().find(({ notBefore = 0, isFault = false }) => !isFault && notBefore <= now);
  }

  #rest(): void {
    this.#timer = setTimeout(() => this.wake(), REST_MS).unref();
  }

  #waitForNext(): void {
    const { actors, now } = this.#options;
    const due = actorsDueMs(actors, now());
    if (due === Infinity) return;
    const delay = Math.min(Math.max(1, due - now()), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.wake(), delay).unref();
  }
}
