import type { Actor, ActorStep } from '#lib/controllers/actor.ts';
import { actorsDueMs } from '#lib/sim/world/actor-steps.ts';

/** What an {@link ActorLoop} is made of. */
export interface ActorLoopOptions {
  readonly actors: readonly Actor[];
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Grows with every write. */
  readonly version: () => string;
  /** Called after a turn in which something was done. */
  readonly onTurn?: () => void;
  /** Called with what a step threw: a fault of the actor, for which the others do not have to suffer. */
  readonly onError: (error: unknown) => void;
}

/** How long actors work before requests get their turn, in milliseconds. */
const SLICE_MS = 10;

/** So many steps in a row that change nothing stored are no progress. */
const IDLE_STEPS = 1000;

/** How long actors rest that turn in circles, or that failed, in milliseconds. */
const REST_MS = 500;

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Lets the actors of a cluster act as real time passes.
 *
 * Flow: after every write ({@link wake}), and when a delay is over, every actor in turn makes the step that it could make, until none
 * has anything to do; then a timer waits for the next moment at which one has.
 *
 * Guarantees: no step twice at a time; misfortunes are never taken; without writes and due delays nothing runs. Timers do not keep
 * the process alive.
 */
export class ActorLoop {
  readonly #options: ActorLoopOptions;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ActorLoopOptions) {
    this.#options = options;
  }

  /** Something has changed: looks what there is to do, soon. */
  wake(): void {
    if (!this.#isClosed) this.#immediate ??= setImmediate(() => this.#turn());
  }

  /** Nothing is done after this. */
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

  /** One step of every actor that has one. @returns how many; -1 when one failed */
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
